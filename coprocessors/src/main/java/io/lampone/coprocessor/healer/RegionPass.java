package io.lampone.coprocessor.healer;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.jspecify.annotations.Nullable;

/**
 * One pass over a region, in parts: reads only transaction cells of an interval of start
 * timestamps, which lets HBase skip whole files. Each part has its own scanner, so that none is
 * open during waits; the region may be split, moved or compacted in between.
 */
final class RegionPass {

  /** Approximate number of cells per part, which ends with a row. */
  static final int CELLS_PER_PART = 1_000;

  private static final int CELLS_PER_CALL = 200;

  /** Maximum number of orphaned transactions per part. */
  static final int LEFTOVERS_PER_PART = 1_000;

  /** Approximate limit in bytes of a part's findings: names of transactions and rows, no lists. */
  static final long BYTES_PER_PART = 4 << 20;

  /** Memory for a cell besides its row and its leader's place. */
  private static final int OVERHEAD_BYTES = 200;

  private final Region region;
  private final String table;
  private final long from;
  private final long to;

  /** First row of the next part. */
  private byte[] next;

  private boolean done;

  /** Counts of the last part. */
  private int cells;

  private int undecodable;

  /** Start timestamp of the oldest cell passed over; 0 = none. */
  private long oldestPassedOver;

  private int passedOver;

  private long keptBytes;

  /** Row, family and problem of the last unusable cell of the part. */
  private String lastProblem = "";

  /**
   * @param from smallest start timestamp
   * @param to exclusive end of the start timestamps
   */
  RegionPass(Region region, long from, long to) {
    this.region = region;
    this.table = region.getRegionInfo().getTable().getNameAsString();
    this.from = from;
    this.to = to;
    this.next = region.getRegionInfo().getStartKey();
    this.done = from >= to;
  }

  boolean isDone() {
    return done;
  }

  /** Returns the transaction cells that the last part has read. */
  int cells() {
    return cells;
  }

  /** Returns how many of them are unreadable, or name a leader in an impossible place. */
  int undecodable() {
    return undecodable;
  }

  /** Returns the last of these, with the reason; empty if there is none. */
  String lastProblem() {
    return lastProblem;
  }

  /**
   * Returns the number of orphaned cells for which the last part had no room, because their row has
   * too many.
   */
  int passedOver() {
    return passedOver;
  }

  /** Returns the start timestamp of the oldest of these; 0 = none. */
  long oldestPassedOver() {
    return oldestPassedOver;
  }

  /**
   * Returns the whole cell of a leader that a part has found; empty if it is gone. For one at a
   * time: it may have any length.
   */
  Optional<TransactionCell> leader(TransactionId id) throws IOException {
    long start = id.startTimestamp();
    Scan scan =
        new Scan()
            .withStartRow(id.leader().row().unsafeArray())
            .withStopRow(id.leader().row().unsafeArray(), true)
            .setTimeRange(start, start + 1)
            .addColumn(id.leader().family().unsafeArray(), Reserved.TRANSACTION.toArray())
            .setCacheBlocks(false);
    try (RegionScanner scanner = region.getScanner(scan)) {
      List<Cell> found = new ArrayList<>();
      scanner.next(found);
      for (Cell cell : found) {
        return Optional.of(
            TransactionCell.decode(
                cell.getValueArray(), cell.getValueOffset(), cell.getValueLength()));
      }
      return Optional.empty();
    }
  }

  /** Returns the orphaned transactions in the next part. */
  Collection<OrphanedTransaction> readPart() throws IOException {
    Map<TransactionId, OrphanedTransaction> found = new LinkedHashMap<>();
    cells = 0;
    undecodable = 0;
    lastProblem = "";
    passedOver = 0;
    oldestPassedOver = 0;
    keptBytes = 0;
    try (RegionScanner scanner = region.getScanner(scan())) {
      List<Cell> some = new ArrayList<>();
      Bytes row = null;
      boolean more = true;
      while (more) {
        some.clear();
        more = scanner.next(some);
        if (some.isEmpty()) {
          continue;
        }
        if (row == null || !CellUtil.matchingRows(some.get(0), row.unsafeArray())) {
          row = Bytes.wrap(CellUtil.cloneRow(some.get(0)));
          if (cells >= CELLS_PER_PART || isFull(found)) {
            next = row.unsafeArray();
            return found.values();
          }
        }
        for (Cell cell : some) {
          cells++;
          look(row, cell, found);
        }
      }
    }
    done = true;
    return found.values();
  }

  private Scan scan() throws IOException {
    Scan scan = new Scan().withStartRow(next).readAllVersions().setTimeRange(from, to);
    for (byte[] family : region.getTableDescriptor().getColumnFamilyNames()) {
      scan.addColumn(family, Reserved.TRANSACTION.toArray());
    }
    // A healer must not evict from the cache what applications read.
    return scan.setCacheBlocks(false).setBatch(CELLS_PER_CALL);
  }

  private boolean isFull(Map<TransactionId, OrphanedTransaction> found) {
    return found.size() >= LEFTOVERS_PER_PART || keptBytes >= BYTES_PER_PART;
  }

  private void look(Bytes row, Cell cell, Map<TransactionId, OrphanedTransaction> found) {
    long start = cell.getTimestamp();
    if (!Timestamps.isGlobal(start)) {
      return; // a list of deleted columns of a fast-path write
    }
    Bytes family = Bytes.wrap(CellUtil.cloneFamily(cell));
    TransactionCell stored;
    try {
      stored =
          TransactionCell.decodeHead(
              cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    } catch (MalformedException e) {
      problem(row, family, start, e.getMessage());
      return;
    }
    boolean unfinished =
        stored.state() == TransactionState.PENDING
            || (stored.isLeader() && stored.state() == TransactionState.COMMITTED);
    if (!unfinished) {
      return;
    }
    if (stored.leader().isPresent() && !stored.leader().get().isLegal()) {
      problem(row, family, start, "names a leader where none can be");
      return;
    }
    RowFamily place = new RowFamily(table, row, family);
    RowFamily leader = stored.leader().orElse(place);
    // By leader too: a client that used another client's start timestamp named another one.
    TransactionId id = new TransactionId(start, leader);
    if (isFull(found) && !found.containsKey(id)) {
      passedOver++;
      oldestPassedOver = oldestPassedOver == 0 ? start : Math.min(oldestPassedOver, start);
      return;
    }
    keptBytes += OVERHEAD_BYTES + row.length() + leader.table().length() + leader.row().length();
    found.computeIfAbsent(id, OrphanedTransaction::new).add(place, stored);
  }

  private void problem(Bytes row, Bytes family, long start, @Nullable String why) {
    undecodable++;
    lastProblem = "row=" + row + " family=" + family + " version=" + start + " problem=" + why;
  }
}
