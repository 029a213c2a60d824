package io.lampone.coprocessor;

import io.lampone.coprocessor.core.LatestView;
import io.lampone.coprocessor.core.ReadView;
import io.lampone.coprocessor.core.SnapshotView;
import io.lampone.coprocessor.core.Standing;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FastCondition.Place;
import io.lampone.protocol.FastReadReply;
import io.lampone.protocol.FastReadRequest;
import io.lampone.protocol.ReadRequest;
import io.lampone.protocol.SlotSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.jspecify.annotations.Nullable;

/**
 * Reads of the fast path (protocol page, section 8): one row, at a snapshot that the server picks.
 *
 * <p>The first look takes intents for absent. It is the answer unless an intent was met whose
 * transaction may have committed below what the session knows of or below something that the answer
 * shows: then the snapshot is fixed at the higher of the two, and a second look points to such
 * intents, as a snapshot read does. Where the snapshot must be known beforehand (the application's
 * filter cannot be asked twice; the version of the row is part of it) there is only the second
 * look.
 */
final class FastReads {

  private final OpenRegion open;
  private final SnapshotReads reads;

  FastReads(OpenRegion open, SnapshotReads reads) {
    this.open = open;
    this.reads = reads;
  }

  /** The cells that answer the Get, the proof among them. */
  List<Cell> answer(Get get, FastReadRequest request) throws IOException {
    TableSettings settings = open.requireTransactional();
    new RequestGuards(open).requireFastPath(settings);
    reads.requireSupported(get);
    admit(Bytes.wrap(get.getRow()), request);
    Answer answer = read(get, request, settings);
    List<Cell> cells = answer.cells();
    if (answer.pointsAtIntents()) {
      cells.removeIf(cell -> !Carrier.isPointer(cell));
    }
    if (answer.fixed()) {
      open.requireReadHolds(answer.snapshot());
    } else {
      open.requireSession();
    }
    byte[] reply = new FastReadReply(answer.snapshot(), answer.version()).encode();
    cells.add(Carrier.proofCell(get.getRow(), reply));
    return cells;
  }

  /**
   * The cells that answer the Get of a plain client, which can resolve nothing: it has to come
   * again while an intent is in the way.
   */
  List<Cell> answerPlain(Get get, TableSettings settings) throws IOException {
    reads.requirePlainSupported(get);
    FastReadRequest request = FastReadRequest.of(0, 0, false);
    admit(Bytes.wrap(get.getRow()), request);
    Answer answer = read(get, request, settings);
    if (answer.pointsAtIntents()) {
      throw PlainClients.busy(open.table());
    }
    if (answer.fixed()) {
      open.requireReadHolds(answer.snapshot());
    } else {
      open.requireSession();
    }
    return answer.cells();
  }

  /**
   * What a look has shown.
   *
   * @param fixed whether the snapshot was fixed before the look, so that what it needs might have
   *     been collected
   */
  private record Answer(List<Cell> cells, long snapshot, long version, boolean fixed) {
    boolean pointsAtIntents() {
      return cells.stream().anyMatch(Carrier::isPointer);
    }
  }

  private void admit(Bytes row, FastReadRequest request) {
    open.fence().requireKnown(request.floor());
    open.fence().requirePossibleMark(request.mark());
    open.fence().requirePossibleMark(request.upTo());
    raise(row, Math.max(request.mark(), request.upTo()));
  }

  /** As for every read: the clock first, then the writes below it that are not visible yet. */
  private void raise(Bytes row, long snapshot) {
    if (snapshot != 0) {
      open.clock().bump(snapshot);
      open.fast().inFlight().awaitRow(row, snapshot + 1);
    }
  }

  private Answer read(Get get, FastReadRequest request, TableSettings settings) throws IOException {
    if (request.upTo() != 0) {
      return readUpTo(get, request, request.upTo(), settings);
    }
    if (request.wantsVersion() || get.getFilter() != null) {
      return readUpTo(get, request, snapshot(version(get, settings), request, get), settings);
    }
    LatestView view = new LatestView();
    List<Cell> cells = scan(get, view, null);
    long snapshot = Math.max(view.highestCommit(), request.mark());
    return view.lowestIntent() < snapshot
        ? readUpTo(get, request, snapshot(snapshot, request, get), settings)
        : new Answer(cells, snapshot, 0, false);
  }

  /** A snapshot that shows what the session knows of, and of which nothing has been collected. */
  private long snapshot(long atLeast, FastReadRequest request, Get get) {
    long snapshot = Math.max(atLeast, Math.max(request.mark(), open.fence().safePoint()));
    raise(Bytes.wrap(get.getRow()), snapshot);
    return snapshot;
  }

  private Answer readUpTo(Get get, FastReadRequest request, long snapshot, TableSettings settings)
      throws IOException {
    // Before the cells: a version that is too old makes a conditional write fail, one that is too
    // new would make it overwrite what was not read.
    long version = request.wantsVersion() ? Math.min(snapshot, version(get, settings)) : 0;
    ReadRequest below = new ReadRequest(snapshot + 1, false, 0, SlotSet.NONE, request.judgments());
    List<Cell> cells = scan(get, new SnapshotView(below), get.getFilter());
    return new Answer(cells, snapshot, version, true);
  }

  private long version(Get get, TableSettings settings) throws IOException {
    List<Place> scope = new ArrayList<>();
    for (Map.Entry<byte[], NavigableSet<byte[]>> entry : get.getFamilyMap().entrySet()) {
      Bytes family = Bytes.wrap(entry.getKey());
      if (entry.getValue() == null) {
        scope.add(Place.family(family));
      } else {
        for (byte[] qualifier : entry.getValue()) {
          scope.add(Place.column(family, Bytes.wrap(qualifier)));
        }
      }
    }
    Standing standing =
        new Standing(
            open.row(Bytes.wrap(get.getRow())), open.table(), settings.level(), settings.floor());
    open.region().startRegionOperation();
    try {
      standing.find(scope, 0, open.recent());
      long version = standing.highestCommit();
      // Below the safe point commits may lose their timestamps; what is read is of the present.
      return version == 0 ? 0 : Math.max(version, open.fence().safePoint());
    } finally {
      open.region().closeRegionOperation();
    }
  }

  private List<Cell> scan(Get original, ReadView view, @Nullable Filter user) throws IOException {
    Get get = new Get(original);
    VisibilityFilter filter = reads.prepare(get, view, user);
    List<Cell> found = new ArrayList<>();
    List<Cell> cells = new ArrayList<>();
    try (RegionScanner scanner = open.region().getScanner(new Scan(get))) {
      filter.readAt(scanner.getMvccReadPoint());
      scanner.next(found);
      for (Cell cell : found) {
        cells.add(CellUtil.cloneIfNecessary(cell));
      }
    }
    return cells;
  }
}
