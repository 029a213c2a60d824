package io.lampone.client.hbase;

import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/**
 * Goes over a table that is being changed, past the observer: every version of every cell, ours
 * included, a page of rows at a time. Each page is a scan of its own, so that the work on a page
 * may take its time.
 */
final class MaintenancePages {

  private static final int ROWS_PER_PAGE = 200;

  private static final byte[] MARK = {1};

  private final StoreAccess access;
  private final Waiting waiting;
  private final RegionProgress progress;

  MaintenancePages(StoreAccess access, Waiting waiting, RegionProgress progress) {
    this.access = access;
    this.waiting = waiting;
    this.progress = progress;
  }

  /** What is done with a page. */
  interface Work {
    void on(List<Result> rows) throws IOException;
  }

  /** Whether a cell as it is stored is a transaction cell. */
  static boolean isTransactionCell(Cell cell) {
    return CellUtil.matchingQualifier(cell, Reserved.TRANSACTION.unsafeArray());
  }

  static byte[] mark() {
    return MARK.clone();
  }

  /** HBase's deletes in the rows from {@code first} to {@code last}, by row. */
  Map<Bytes, List<Cell>> deletes(TableName table, byte[] first, byte[] last) throws IOException {
    Scan scan = new Scan().readAllVersions().setRaw(true).setCacheBlocks(false);
    scan.withStartRow(first).withStopRow(last, true);
    scan.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, mark());
    Map<Bytes, List<Cell>> deletes = new HashMap<>();
    for (Result row : waiting.await(access.table(table, access.deadline()).scanAll(scan))) {
      List<Cell> ofRow =
          row.listCells().stream().filter(cell -> cell.getType() != Cell.Type.Put).toList();
      if (!ofRow.isEmpty()) {
        deletes.put(Bytes.wrap(row.getRow()), ofRow);
      }
    }
    return deletes;
  }

  void forEach(String step, TableName table, Work work) throws IOException {
    RegionProgress.Pass pass = progress.pass(step, table);
    byte[] last = {};
    while (true) {
      Scan scan = new Scan().readAllVersions().setCacheBlocks(false).setLimit(ROWS_PER_PAGE);
      scan.withStartRow(last, last.length == 0);
      scan.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, mark());
      List<Result> rows = waiting.await(access.table(table, access.deadline()).scanAll(scan));
      if (rows.isEmpty()) {
        pass.done();
        return;
      }
      work.on(rows);
      last = rows.get(rows.size() - 1).getRow();
      pass.at(last);
    }
  }
}
