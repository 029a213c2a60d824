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
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;

/**
 * One way through a region, in parts: looks at nothing but transaction cells of an interval of
 * start timestamps, which lets HBase leave out whole files. Each part has a scanner of its own, so
 * that none is open while others are waited for; the region may be split, moved or compacted in
 * between.
 */
final class RegionPass {

  /** Cells of a part, roughly: it ends with a row. */
  static final int CELLS_PER_PART = 1_000;

  private static final int CELLS_PER_CALL = 200;

  private final Region region;
  private final String table;
  private final long from;
  private final long to;

  /** Where the next part begins. */
  private byte[] next;

  private boolean done;

  /** Of the last part. */
  private int cells;

  private int undecodable;

  /**
   * @param from smallest start timestamp
   * @param to above the largest one
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

  /** Transaction cells that the last part has looked at. */
  int cells() {
    return cells;
  }

  /** Those of them that could not be read. */
  int undecodable() {
    return undecodable;
  }

  /** What is left over in the next part, by transaction. */
  Collection<Leftover> readPart() throws IOException {
    Map<Long, Leftover> found = new LinkedHashMap<>();
    cells = 0;
    undecodable = 0;
    try (RegionScanner scanner = region.getScanner(scan())) {
      List<Cell> some = new ArrayList<>();
      byte[] row = null;
      boolean more = true;
      while (more) {
        some.clear();
        more = scanner.next(some);
        if (some.isEmpty()) {
          continue;
        }
        boolean sameRow = row != null && CellUtil.matchingRows(some.get(0), row);
        if (!sameRow && cells >= CELLS_PER_PART) {
          next = CellUtil.cloneRow(some.get(0));
          return found.values();
        }
        row = CellUtil.cloneRow(some.get(0));
        for (Cell cell : some) {
          cells++;
          look(cell, found);
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
    // A healer must not push out of the cache what applications read.
    return scan.setCacheBlocks(false).setBatch(CELLS_PER_CALL);
  }

  private void look(Cell cell, Map<Long, Leftover> found) {
    long start = cell.getTimestamp();
    if (!Timestamps.isGlobal(start)) {
      return; // column tombstones of the fast path: committed at birth
    }
    TransactionCell stored;
    try {
      stored =
          TransactionCell.decode(
              cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    } catch (MalformedException e) {
      undecodable++;
      return;
    }
    boolean unfinished =
        stored.state() == TransactionState.PENDING
            || (stored.isLeader() && stored.state() == TransactionState.COMMITTED);
    if (!unfinished) {
      return;
    }
    RowFamily place =
        new RowFamily(
            table, Bytes.wrap(CellUtil.cloneRow(cell)), Bytes.wrap(CellUtil.cloneFamily(cell)));
    found
        .computeIfAbsent(
            start, s -> new Leftover(new TransactionId(s, stored.leader().orElse(place))))
        .add(place, stored);
  }
}
