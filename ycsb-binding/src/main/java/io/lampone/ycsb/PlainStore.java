package io.lampone.ycsb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** Plain HBase. */
final class PlainStore implements Store {

  private final Table table;

  PlainStore(Table table) {
    this.table = table;
  }

  @Override
  public Result get(Get get) throws IOException {
    return table.get(get);
  }

  @Override
  public List<Result> scan(Scan scan, int limit) throws IOException {
    return rows(table, scan, limit);
  }

  /** Reads rows from any Table, including that of a transaction. */
  static List<Result> rows(Table table, Scan scan, int limit) throws IOException {
    List<Result> rows = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan.setLimit(limit))) {
      for (Result row = scanner.next(); row != null && rows.size() < limit; row = scanner.next()) {
        rows.add(row);
      }
    }
    return rows;
  }

  @Override
  public void put(Put put) throws IOException {
    table.put(put);
  }

  @Override
  public void putAll(List<Put> puts) throws IOException {
    table.put(puts);
  }

  @Override
  public void delete(Delete delete) throws IOException {
    table.delete(delete);
  }

  @Override
  public void close() throws IOException {
    table.close();
  }
}
