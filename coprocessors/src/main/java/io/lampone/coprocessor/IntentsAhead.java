package io.lampone.coprocessor;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.coprocessor.core.visibility.ReadView.Verdict;
import io.lampone.coprocessor.row.HBaseRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.UndecidedIntents;
import io.lampone.protocol.request.UndecidedIntents.Met;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.ScannerContext.LimitScope;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;

/**
 * Refusal of a scan that must not return pointers, at the first undecided intent that it meets. To
 * avoid a refusal for each intent, it also names intents that follow in the scan's range; for that
 * it reads only transaction cells, for a bounded time.
 *
 * <p>Where HBase checks permissions, only the intent that was met is named: those ahead might be in
 * rows or columns that the reader may not know.
 */
final class IntentsAhead {

  /** Time limit for naming further intents. */
  private static final Duration LONGEST = Duration.ofMillis(10);

  /** Minimum number of cells, with a longer limit: a slow server must not refuse each one. */
  private static final int LEAST_CELLS = 64;

  private static final Duration LONGEST_FOR_LEAST = Duration.ofMillis(100);

  /** Maximum time between two checks of the clock. */
  private static final long LONGEST_MILLIS = LONGEST.toMillis();

  /** Cells of a row per batch. */
  private static final int BATCH = 256;

  private final OpenRegion open;
  private final ReadView view;
  // not the scan itself, which would keep its own entry in the scanner book alive
  private final byte[] stopRow;
  private final boolean includesStopRow;
  private final boolean reversed;
  private final List<byte[]> families;

  /**
   * @param scan as sent by its client, with the families that it reads
   */
  IntentsAhead(OpenRegion open, ReadView view, Scan scan) {
    this.open = open;
    this.view = view;
    this.stopRow = scan.getStopRow();
    this.includesStopRow = scan.includeStopRow();
    this.reversed = scan.isReversed();
    this.families = List.copyOf(scan.getFamilyMap().keySet());
  }

  /**
   * Returns the refusal.
   *
   * @param met the cell that was met
   * @param cell of its transaction, as far as the reader may know it
   */
  Refused refusal(Cell met, Bytes family, long start, TransactionCell cell) throws IOException {
    List<Met> all = new ArrayList<>();
    Bytes row = Bytes.wrap(CellUtil.cloneRow(met));
    all.add(new Met(start, row, family, Bytes.wrap(CellUtil.cloneQualifier(met)), cell.leader()));
    if (!open.server().checksUsers()) {
      lookAhead(row, all);
    }
    return new Refused(new UndecidedIntents(all).refusal());
  }

  private void lookAhead(Bytes row, List<Met> all) throws IOException {
    Scan ahead =
        new Scan()
            .withStartRow(row.unsafeArray(), true)
            .withStopRow(stopRow, includesStopRow)
            .setReversed(reversed)
            .setBatch(BATCH)
            .setCacheBlocks(false)
            .readAllVersions()
            .setTimeRange(0, view.snapshot());
    families.forEach(family -> ahead.addColumn(family, Reserved.TRANSACTION.toArray()));
    long begun = SystemClock.INSTANCE.monotonicNanos();
    List<Cell> cells = new ArrayList<>();
    try (RegionScanner scanner = open.region().getScanner(ahead)) {
      boolean more = true;
      int read = 0;
      while (more && hasTime(SystemClock.INSTANCE.monotonicNanos() - begun, read)) {
        cells.clear();
        more = scanner.nextRaw(cells, untilMillis(EnvironmentEdgeManager.currentTime()));
        read += cells.size();
        for (Cell cell : cells) {
          if (all.size() == UndecidedIntents.MAX_INTENTS) {
            return;
          }
          undecided(cell).filter(met -> !isFirst(met, all)).ifPresent(all::add);
        }
      }
    }
  }

  /** Returns true if more cells may be read after {@code read} cells in {@code spentNanos}. */
  static boolean hasTime(long spentNanos, int read) {
    Duration longest = read < LEAST_CELLS ? LONGEST_FOR_LEAST : LONGEST;
    return spentNanos < longest.toNanos();
  }

  /** Returns the limits of a batch; the time limit also ends a search for a distant row. */
  private static ScannerContext untilMillis(long nowMillis) {
    return ScannerContext.newBuilder()
        .setBatchLimit(BATCH)
        .setTimeLimit(LimitScope.BETWEEN_CELLS, nowMillis + LONGEST_MILLIS)
        .build();
  }

  private static boolean isFirst(Met met, List<Met> all) {
    Met first = all.get(0);
    return met.start() == first.start()
        && met.row().equals(first.row())
        && met.family().equals(first.family());
  }

  private Optional<Met> undecided(Cell stored) throws IOException {
    TransactionCell cell;
    try {
      cell = TransactionCell.decode(CellUtil.cloneValue(stored));
    } catch (MalformedException e) {
      return Optional.empty(); // refused when the scan reaches it
    }
    if (cell.state() != TransactionState.PENDING) {
      return Optional.empty();
    }
    long start = stored.getTimestamp();
    HBaseRow row = open.row(Bytes.wrap(CellUtil.cloneRow(stored)), HBaseRow.VISIBLE);
    Bytes family = Bytes.wrap(CellUtil.cloneFamily(stored));
    if (view.of(start, cell, row, family) != Verdict.UNDECIDED
        || cell.leader().filter(leader -> !leader.isLegal()).isPresent()) {
      return Optional.empty();
    }
    Optional<RowFamily> leader =
        cell.leader()
            .map(place -> open.guards().shown(open.table(), new TransactionId(start, place)))
            .map(TransactionId::leader);
    return Optional.of(new Met(start, row.key(), family, Reserved.TRANSACTION, leader));
  }
}
