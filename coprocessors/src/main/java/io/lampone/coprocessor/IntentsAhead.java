package io.lampone.coprocessor;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.visibility.ReadView;
import io.lampone.coprocessor.core.visibility.ReadView.Verdict;
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
 * Refusal of a scan that is not to return pointers, at the first undecided intent that it meets. So
 * that a scan over many of them is not refused for each, the refusal also names others that follow
 * in its range: transaction cells alone are read for that, for a bounded time.
 *
 * <p>Where HBase checks who may read what, only the intent that came by is named: what lies ahead
 * might stand in rows or columns that the reader may not know of.
 */
final class IntentsAhead {

  /** Time for naming further intents. */
  private static final Duration LONGEST = Duration.ofMillis(10);

  /** So many cells are read if that takes longer: else a slow server refuses for each of them. */
  private static final int LEAST_CELLS = 64;

  private static final Duration LONGEST_FOR_LEAST = Duration.ofMillis(100);

  /** Longest time between two looks at the clock. */
  private static final long LONGEST_MILLIS = LONGEST.toMillis();

  /** Cells of a row that are read at once. */
  private static final int BATCH = 256;

  private final OpenRegion open;
  private final ReadView view;
  // not the scan, which would keep its own entry in the scanner book alive
  private final byte[] stopRow;
  private final boolean includesStopRow;
  private final boolean reversed;
  private final List<byte[]> families;

  /**
   * @param scan as its client has sent it, with the families that it reads
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
   * @param met came by
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

  /** Returns true if more cells are to be read, after so many and such a time. */
  static boolean hasTime(long spentNanos, int read) {
    Duration longest = read < LEAST_CELLS ? LONGEST_FOR_LEAST : LONGEST;
    return spentNanos < longest.toNanos();
  }

  /** A row may be far away where few rows have intents: stops there, too. */
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
      return Optional.empty(); // refused when the scan comes there
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
