package io.lampone.client.hbase.admin;

import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.hbase.read.ReadRules;
import io.lampone.client.hbase.read.RowPage;
import io.lampone.client.hbase.transport.RegionTransport;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.trust.InspectionPass;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;

/**
 * Reads a table that is being changed, bypassing the observer: every version of every cell,
 * reserved columns included, a page of rows at a time. Each page is a separate scan, so that the
 * work on a page may take long.
 */
final class MaintenancePages {

  private static final int ROWS_PER_PAGE = 200;

  /** Limit of keys and values of all versions in a page, which may exceed it by one row. */
  private static final long ENOUGH_BYTES = 4 << 20;

  private static final byte[] MARK = {1};

  private final StoreAccess access;
  private final Waiting waiting;
  private final RegionProgress progress;

  MaintenancePages(StoreAccess access, Waiting waiting, RegionProgress progress) {
    this.access = access;
    this.waiting = waiting;
    this.progress = progress;
  }

  /** Work on a page. */
  interface Work {
    void on(List<Result> rows) throws IOException;
  }

  /** Returns true if a stored cell is a transaction cell: none has a plain version. */
  static boolean isTransactionCell(Cell cell) {
    return !Timestamps.isPlain(cell.getTimestamp())
        && CellUtil.matchingQualifier(cell, Reserved.TRANSACTION.unsafeArray());
  }

  static byte[] mark() {
    return MARK.clone();
  }

  /** Returns HBase's deletes in rows of a page, by row. */
  Map<Bytes, List<Cell>> deletes(TableName table, List<Result> rows) throws IOException {
    Set<Bytes> wanted = new HashSet<>();
    rows.forEach(row -> wanted.add(Bytes.wrap(row.getRow())));
    Scan scan = new Scan().readAllVersions().setRaw(true).setCacheBlocks(false);
    scan.withStartRow(rows.get(0).getRow());
    scan.withStopRow(rows.get(rows.size() - 1).getRow(), true);
    scan.setFilter(new KeyOnlyFilter());
    Map<Bytes, List<Cell>> deletes = new HashMap<>();
    for (Result row : scan(table, scan, Long.MAX_VALUE, each -> deletesOf(each, wanted))) {
      deletes.put(Bytes.wrap(row.getRow()), row.listCells());
    }
    return deletes;
  }

  private static Result deletesOf(Result row, Set<Bytes> wanted) {
    return wanted.contains(Bytes.wrap(row.getRow()))
        ? Result.create(
            row.listCells().stream().filter(cell -> cell.getType() != Cell.Type.Put).toList())
        : Result.EMPTY_RESULT;
  }

  private List<Result> scan(
      TableName table, Scan scan, long enoughBytes, UnaryOperator<Result> kept) throws IOException {
    scan.setAttribute(TableSettings.MAINTENANCE_ATTRIBUTE, mark());
    RowPage page = new RowPage(enoughBytes, kept);
    access.transport().table(table, access.deadline(), RegionTransport.ATTEMPTS).scan(scan, page);
    return waiting.await(page.rows());
  }

  /**
   * Reads the transaction cells of a transactional table whose start timestamps are wanted, as a
   * reader without a pass sees them; fails if the user may not read all. HBase skips files without
   * anything from these ticks.
   */
  void forEachTransactionCell(String step, TableName table, NavigableSet<Long> starts, Work work)
      throws IOException {
    RegionProgress.Pass pass = progress.pass(step, table);
    List<byte[]> families = new ArrayList<>();
    waiting
        .await(access.connection().getTable(table).getDescriptor())
        .getColumnFamilyNames()
        .forEach(families::add);
    byte[] begin = {};
    // Region by region: most have few such cells, and each may take as long as a wait lasts.
    for (byte[] end : pass.ends()) {
      forEachTransactionCell(table, families, starts, begin, end, work);
      begin = end;
      pass.at(end);
    }
    pass.done();
  }

  private void forEachTransactionCell(
      TableName table,
      List<byte[]> families,
      NavigableSet<Long> starts,
      byte[] begin,
      byte[] end,
      Work work)
      throws IOException {
    byte[] last = begin;
    boolean isBegin = true;
    while (true) {
      Scan scan = new Scan().readAllVersions().setCacheBlocks(false);
      scan.setTimeRange(starts.first(), starts.last() + 1);
      scan.withStartRow(last, isBegin).withStopRow(end);
      for (byte[] family : families) {
        scan.addColumn(family, Reserved.TRANSACTION.toArray());
      }
      scan.setAttribute(TableSettings.INSPECTION_ATTRIBUTE, InspectionPass.none());
      scan.setAttribute(ReadRequest.COMPLETE_ATTRIBUTE, mark());
      List<Result> rows =
          waiting.await(access.driver().start(page(table, scan, starts, access.deadline(), 0)));
      if (rows.isEmpty()) {
        return;
      }
      work.on(rows);
      last = rows.get(rows.size() - 1).getRow();
      isBegin = false;
    }
  }

  /** Reads a page; a server may refuse it for a moment, which HBase's client does not repeat. */
  private Step<List<Result>> page(
      TableName table, Scan scan, Set<Long> starts, long deadlineNanos, int tries) {
    return AsyncRequest.step(
            () -> {
              RowPage page = new RowPage(ENOUGH_BYTES, row -> ofStarts(row, starts));
              access.connection().getTable(table).scan(ReadRules.copy(scan), page);
              return page.rows();
            })
        .recover(
            failure -> {
              RuntimeException told =
                  StoreFailures.toStoreFailure(table.getNameAsString(), "", failure);
              return StoreFailures.mayRepeat(told) && !access.isOver(deadlineNanos)
                  ? access
                      .pause(tries)
                      .then(waited -> page(table, scan, starts, deadlineNanos, tries + 1))
                  : Step.failed(failure);
            });
  }

  private static Result ofStarts(Result row, Set<Long> starts) {
    return Result.create(
        row.listCells().stream().filter(cell -> starts.contains(cell.getTimestamp())).toList());
  }

  void forEach(String step, TableName table, Work work) throws IOException {
    RegionProgress.Pass pass = progress.pass(step, table);
    byte[] last = {};
    while (true) {
      Scan scan = new Scan().readAllVersions().setCacheBlocks(false).setLimit(ROWS_PER_PAGE);
      scan.withStartRow(last, last.length == 0);
      List<Result> rows = scan(table, scan, ENOUGH_BYTES, row -> row);
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
