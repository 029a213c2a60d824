package io.lampone.cli;

import io.lampone.protocol.Bytes;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;

/** A table of a {@link FakeTransaction}: as much of the interface as the commands call. */
final class FakeTable implements Table {

  private final FakeTransaction transaction;
  private final TableName name;

  FakeTable(FakeTransaction transaction, TableName name) {
    this.transaction = transaction;
    this.name = name;
  }

  @Override
  public TableName getName() {
    return name;
  }

  @Override
  public Configuration getConfiguration() {
    throw new UnsupportedOperationException();
  }

  @Override
  public TableDescriptor getDescriptor() throws IOException {
    return transaction.descriptor(name);
  }

  @Override
  public RegionLocator getRegionLocator() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Result get(Get get) throws IOException {
    check(get.getFamilyMap().keySet());
    List<Result> rows = rows(get.getRow(), get.getRow(), true, get.getFamilyMap());
    return rows.isEmpty() ? Result.EMPTY_RESULT : rows.get(0);
  }

  @Override
  public Result[] get(List<Get> gets) throws IOException {
    Result[] results = new Result[gets.size()];
    for (int i = 0; i < results.length; i++) {
      results[i] = get(gets.get(i));
    }
    return results;
  }

  @Override
  public ResultScanner getScanner(Scan scan) throws IOException {
    check(scan.getFamilyMap().keySet());
    List<Result> rows = scan.isReversed() ? reversed(scan) : forward(scan);
    int limit = scan.getLimit() < 0 ? rows.size() : Math.min(rows.size(), scan.getLimit());
    return new ListScanner(rows.subList(0, limit).iterator(), transaction.beforeRows());
  }

  @Override
  public void put(Put put) throws IOException {
    check(put.getFamilyCellMap().keySet());
    transaction.change(name, put.getRow(), snapshot -> apply(put, snapshot.cells(name)));
  }

  @Override
  public void put(List<Put> puts) throws IOException {
    for (Put put : puts) {
      put(put);
    }
  }

  @Override
  public void delete(Delete delete) throws IOException {
    check(delete.getFamilyCellMap().keySet());
    transaction.change(name, delete.getRow(), snapshot -> remove(delete, snapshot.cells(name)));
  }

  @Override
  public void delete(List<Delete> deletes) throws IOException {
    for (Delete delete : deletes) {
      delete(delete);
    }
  }

  @Override
  public long incrementColumnValue(byte[] row, byte[] family, byte[] qualifier, long amount)
      throws IOException {
    byte[] old = get(new Get(row).addColumn(family, qualifier)).getValue(family, qualifier);
    long value = amount + (old == null ? 0 : org.apache.hadoop.hbase.util.Bytes.toLong(old));
    put(
        new Put(row)
            .addColumn(family, qualifier, org.apache.hadoop.hbase.util.Bytes.toBytes(value)));
    return value;
  }

  @Override
  public void close() {}

  private void check(Iterable<byte[]> used) throws IOException {
    List<String> families = transaction.families(name);
    for (byte[] family : used) {
      if (!families.contains(new String(family))) {
        throw new NoSuchColumnFamilyException(
            "Column family " + new String(family) + " does not exist");
      }
    }
  }

  private List<Result> forward(Scan scan) throws IOException {
    return rows(scan.getStartRow(), scan.getStopRow(), scan.includeStopRow(), scan.getFamilyMap());
  }

  /** Reads down from the start row to the stop row. */
  private List<Result> reversed(Scan scan) throws IOException {
    List<Result> rows =
        rows(scan.getStopRow(), scan.getStartRow(), scan.includeStartRow(), scan.getFamilyMap());
    if (!scan.includeStopRow()) {
      rows.removeIf(row -> Bytes.of(row.getRow()).equals(Bytes.of(scan.getStopRow())));
    }
    Collections.reverse(rows);
    return rows;
  }

  private List<Result> rows(
      byte[] start, byte[] stop, boolean inclusive, Map<byte[], NavigableSet<byte[]>> columns)
      throws IOException {
    transaction.families(name);
    Bytes from = Bytes.of(start);
    Bytes to = Bytes.of(stop);
    List<Result> results = new ArrayList<>();
    List<Cell> row = new ArrayList<>();
    for (var entry : transaction.view().cells(name).entrySet()) {
      FakeDatabase.Cell place = entry.getKey();
      int order = to.isEmpty() ? -1 : place.row().compareTo(to);
      if (place.row().compareTo(from) < 0 || order > 0 || (order == 0 && !inclusive)) {
        continue;
      }
      if (!columns.isEmpty() && !selected(place, columns)) {
        continue;
      }
      if (!row.isEmpty() && !CellUtil.matchingRows(row.get(0), place.row().toArray())) {
        results.add(Result.create(row));
        row = new ArrayList<>();
      }
      row.add(cell(place, entry.getValue()));
    }
    if (!row.isEmpty()) {
      results.add(Result.create(row));
    }
    return results;
  }

  private static boolean selected(
      FakeDatabase.Cell place, Map<byte[], NavigableSet<byte[]>> columns) {
    byte[] family = place.family().toArray();
    return columns.containsKey(family)
        && (columns.get(family) == null
            || columns.get(family).contains(place.qualifier().toArray()));
  }

  private static Cell cell(FakeDatabase.Cell place, FakeDatabase.Stored stored) {
    return CellBuilderFactory.create(CellBuilderType.DEEP_COPY)
        .setRow(place.row().toArray())
        .setFamily(place.family().toArray())
        .setQualifier(place.qualifier().toArray())
        .setTimestamp(stored.version())
        .setType(Cell.Type.Put)
        .setValue(stored.value().toArray())
        .build();
  }

  private void apply(Mutation put, NavigableMap<FakeDatabase.Cell, FakeDatabase.Stored> cells) {
    for (List<Cell> family : put.getFamilyCellMap().values()) {
      for (Cell cell : family) {
        cells.put(
            place(cell),
            new FakeDatabase.Stored(
                transaction.startTimestamp(), Bytes.wrap(CellUtil.cloneValue(cell))));
      }
    }
  }

  private static void remove(
      Delete delete, NavigableMap<FakeDatabase.Cell, FakeDatabase.Stored> cells) {
    Bytes row = Bytes.of(delete.getRow());
    if (delete.getFamilyCellMap().isEmpty()) {
      cells.keySet().removeIf(cell -> cell.row().equals(row));
      return;
    }
    for (List<Cell> family : delete.getFamilyCellMap().values()) {
      for (Cell gone : family) {
        boolean whole = gone.getType() == Cell.Type.DeleteFamily;
        FakeDatabase.Cell place = place(gone);
        cells
            .keySet()
            .removeIf(
                cell ->
                    whole
                        ? cell.row().equals(row) && cell.family().equals(place.family())
                        : cell.equals(place));
      }
    }
  }

  private static FakeDatabase.Cell place(Cell cell) {
    return new FakeDatabase.Cell(
        Bytes.wrap(CellUtil.cloneRow(cell)),
        Bytes.wrap(CellUtil.cloneFamily(cell)),
        Bytes.wrap(CellUtil.cloneQualifier(cell)));
  }

  /** Hands out a list. */
  private static final class ListScanner implements ResultScanner {
    private final Iterator<Result> rows;
    private final Runnable before;

    ListScanner(Iterator<Result> rows, Runnable before) {
      this.rows = rows;
      this.before = before;
    }

    @Override
    public Result next() throws IOException {
      before.run();
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("interrupted");
      }
      return rows.hasNext() ? rows.next() : null;
    }

    @Override
    public void close() {}

    @Override
    public boolean renewLease() {
      return true;
    }

    @Override
    public ScanMetrics getScanMetrics() {
      return null;
    }
  }
}
