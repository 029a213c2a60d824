package io.lampone.coprocessor;

import io.lampone.coprocessor.core.fastpath.FastAdmission;
import io.lampone.coprocessor.core.fastpath.FastReading;
import io.lampone.coprocessor.core.fastpath.FastReading.Answer;
import io.lampone.coprocessor.core.fastpath.WriteBlockers;
import io.lampone.coprocessor.core.visibility.LatestView;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.coprocessor.row.HBaseRow;
import io.lampone.coprocessor.write.PlainClientSupport;
import io.lampone.coprocessor.write.RequestGuards;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastReadReply;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReadRequest.Wants;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.jspecify.annotations.Nullable;

/**
 * Reads of the fast path (protocol page, section 8): one row, at a snapshot of the server's choice.
 */
public final class FastReadHandler {

  private final OpenRegion open;
  private final SnapshotReads reads;

  public FastReadHandler(OpenRegion open, SnapshotReads reads) {
    this.open = open;
    this.reads = reads;
  }

  /** Returns the cells that answer the Get, including the proof. */
  List<Cell> answer(Get get, FastReadRequest request) throws IOException {
    TableSettings settings = open.requireTransactional();
    boolean interval = request.wants() == Wants.INTERVAL;
    if (interval) {
      new RequestGuards(open).requireIntervals(settings);
    } else {
      new RequestGuards(open).requireFastPath(settings);
    }
    reads.requireSupported(get);
    if (request.wantsVersion() || interval) {
      // The version depends on every column named, whatever the filter shows of them.
      reads.requireUnrestricted(get);
    }
    FastReading<List<Cell>> reading = reading(get, request, settings);
    Answer<List<Cell>> answer = reading.read();
    List<Cell> cells = answer.found();
    if (pointsAtIntents(cells)) {
      cells.removeIf(cell -> !Carrier.isPointer(cell));
    }
    reading.requireHolds(answer);
    long tag = open.guards().mark(answer.snapshot());
    byte[] reply = new FastReadReply(answer.snapshot(), answer.version(), tag).encode();
    cells.add(Carrier.proofCell(get.getRow(), reply));
    return cells;
  }

  /**
   * Returns the cells that answer a plain client's Get. Such a client cannot resolve an intent: it
   * has to retry while one is in the way.
   */
  public List<Cell> answerPlain(Get get, TableSettings settings) throws IOException {
    reads.requirePlainSupported(get);
    FastReading<List<Cell>> reading = reading(get, FastReadRequest.of(0, 0, false), settings);
    Answer<List<Cell>> answer = reading.read();
    if (pointsAtIntents(answer.found())) {
      throw PlainClientSupport.busy(open.table());
    }
    reading.requireHolds(answer);
    return answer.found();
  }

  private static boolean pointsAtIntents(List<Cell> cells) {
    return Carrier.anyPointer(cells);
  }

  private FastReading<List<Cell>> reading(
      Get get, FastReadRequest request, TableSettings settings) {
    FastAdmission.admit(request, open.guards());
    return new FastReading<>(request, new GetRow(get, settings), open.guards());
  }

  /** Row of a Get, read through HBase's scanners. */
  private final class GetRow implements FastReading.Row<List<Cell>> {

    private final Get get;
    private final TableSettings settings;

    GetRow(Get get, TableSettings settings) {
      this.get = get;
      this.settings = settings;
    }

    /** Raises the clock, then waits for the writes below it that are not visible yet. */
    @Override
    public void raise(long snapshot) {
      open.clock().bump(snapshot);
      open.fast().inFlight().awaitRow(Bytes.wrap(get.getRow()), snapshot + 1);
    }

    @Override
    public List<Cell> look(ReadView view) throws IOException {
      boolean isFirstOfTwo = view instanceof LatestView latest && !latest.isPointing();
      return scan(get, view, isFirstOfTwo ? null : get.getFilter());
    }

    @Override
    public long version() throws IOException {
      return FastReadHandler.this.version(get, settings);
    }

    @Override
    public long clock() {
      return open.clock().current();
    }

    @Override
    public long floor() {
      return open.rules(settings).floor();
    }

    @Override
    public long now() {
      return open.retention().isLimited() ? open.now() : 0;
    }

    @Override
    public boolean mayExpire() {
      return open.retention().isLimited();
    }

    /** Returns true if there is a filter of the application, which cannot be called twice. */
    @Override
    public boolean isLookedAtOnce() {
      return get.getFilter() != null;
    }
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
    WriteBlockers blockers =
        new WriteBlockers(
            open.row(Bytes.wrap(get.getRow()), HBaseRow.VISIBLE),
            open.table(),
            settings.level(),
            open.rules(settings).floor(),
            open.fast().settled());
    open.region().startRegionOperation();
    try {
      blockers.find(scope, 0, open.recent());
      return blockers.highestCommit();
    } finally {
      open.region().closeRegionOperation();
    }
  }

  private List<Cell> scan(Get get, ReadView view, @Nullable Filter user) throws IOException {
    Scan scan = new Scan(get).setFamilyMap(copy(get.getFamilyMap())).setFilter(user);
    VisibilityFilter filter = reads.prepare(scan, view);
    List<Cell> found = new ArrayList<>();
    List<Cell> cells = new ArrayList<>();
    try (RegionScanner scanner = open.region().getScanner(scan)) {
      filter.readAt(scanner.getMvccReadPoint());
      scanner.next(found);
      for (Cell cell : found) {
        cells.add(CellUtil.cloneIfNecessary(cell));
      }
    }
    return cells;
  }

  /** Returns a copy: reserved columns are added to it, and the Get may be read again. */
  private static Map<byte[], NavigableSet<byte[]>> copy(Map<byte[], NavigableSet<byte[]>> named) {
    Map<byte[], NavigableSet<byte[]>> copy =
        new TreeMap<>(org.apache.hadoop.hbase.util.Bytes.BYTES_COMPARATOR);
    for (Map.Entry<byte[], NavigableSet<byte[]>> family : named.entrySet()) {
      NavigableSet<byte[]> columns = family.getValue();
      copy.put(family.getKey(), columns == null ? null : new TreeSet<>(columns));
    }
    return copy;
  }
}
