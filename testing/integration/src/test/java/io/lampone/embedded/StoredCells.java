package io.lampone.embedded;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;

/** The regions of a table on the servers that are alive, underneath the observer. */
record StoredCells(EmbeddedHBase hbase, TableName table) {

  List<HRegion> regions() {
    List<HRegion> regions = new ArrayList<>();
    for (int number = 0; number < hbase.regionServerCount(); number++) {
      if (hbase.isAlive(number)) {
        regions.addAll(hbase.regionServer(number).getRegions(table));
      }
    }
    return regions;
  }

  /** How many regions of the table are on none of these servers. */
  int regionsAway(Connection connection) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      return admin.getRegions(table).size() - regions().size();
    }
  }

  /** Flushes all regions and compacts all their files. */
  void compact() throws IOException {
    for (HRegion region : regions()) {
      region.flush(true);
      region.compact(true);
    }
  }

  /** Returns all versions of all cells, region by region in HBase's order. */
  List<Cell> all() throws IOException {
    List<Cell> cells = new ArrayList<>();
    for (HRegion region : regions()) {
      try (RegionScanner scanner = region.getScanner(new Scan().readAllVersions())) {
        boolean more = true;
        while (more) {
          List<Cell> row = new ArrayList<>();
          more = scanner.next(row);
          row.forEach(cell -> cells.add(CellUtil.cloneIfNecessary(cell)));
        }
      }
    }
    return cells;
  }

  /** Returns the newest and the smallest read point of each region. */
  List<String> readPoints() {
    return regions().stream()
        .map(
            region ->
                region.getMVCC().getReadPoint()
                    + ">="
                    + region.getStores().get(0).getSmallestReadPoint())
        .toList();
  }

  /** Returns all versions of all values of a row, without Lampone's own cells. */
  List<String> values(String row) throws IOException {
    List<String> values = new ArrayList<>();
    for (Cell cell : all()) {
      if (row(cell).equals(row)
          && !Reserved.isReserved(Bytes.wrap(CellUtil.cloneQualifier(cell)))) {
        values.add(Bytes.wrap(CellUtil.cloneValue(cell)).toUtf8());
      }
    }
    return values;
  }

  /** Returns the transaction cells that are not final yet, each as {@code row=STATE}. */
  List<String> unfinished() throws IOException {
    List<String> unfinished = new ArrayList<>();
    for (Cell cell : all()) {
      if (CellUtil.matchingQualifier(cell, Reserved.TRANSACTION.toArray())) {
        TransactionCell stored = TransactionCell.decode(CellUtil.cloneValue(cell));
        if (stored.state() == TransactionState.PENDING
            || (stored.isLeader() && stored.state() == TransactionState.COMMITTED)) {
          unfinished.add(row(cell) + "=" + stored.state());
        }
      }
    }
    return unfinished;
  }

  /** Returns the states of the transaction cells of one transaction, each as {@code row=STATE}. */
  List<String> states(long start) throws IOException {
    List<String> states = new ArrayList<>();
    for (Cell cell : all()) {
      if (CellUtil.matchingQualifier(cell, Reserved.TRANSACTION.toArray())
          && cell.getTimestamp() == start) {
        TransactionState state = TransactionCell.decode(CellUtil.cloneValue(cell)).state();
        states.add(io.lampone.protocol.Bytes.wrap(CellUtil.cloneRow(cell)).toUtf8() + "=" + state);
      }
    }
    return states;
  }

  private static String row(Cell cell) {
    return Bytes.wrap(CellUtil.cloneRow(cell)).toUtf8();
  }
}
