package io.lampone.ycsb;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.client.fastpath.FastPathTable;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/** Fast path: each operation is a separate transaction without the transaction manager. */
final class FastStore implements Store {

  private final LamponeClient client;
  private final FastPathTable table;
  private final TransactionOptions forScans;

  FastStore(LamponeClient client, FastPathTable table, TransactionOptions forScans) {
    this.client = client;
    this.table = table;
    this.forScans = forScans;
  }

  @Override
  public Result get(Get get) throws IOException {
    return table.get(get);
  }

  /** Reads in a snapshot: the fast path has no scans. */
  @Override
  public List<Result> scan(Scan scan, int limit) throws IOException {
    try (Transaction snapshot = client.begin(forScans)) {
      return PlainStore.rows(snapshot.table(table.getName()), scan, limit);
    }
  }

  @Override
  public void put(Put put) throws IOException {
    table.put(put);
  }

  @Override
  public void putAll(List<Put> puts) throws IOException {
    for (FastPathResult result : table.putAll(puts)) {
      if (!(result instanceof FastPathResult.Committed)) {
        throw new IOException("a put without a condition was not committed, result=" + result);
      }
    }
  }

  @Override
  public void delete(Delete delete) throws IOException {
    table.delete(delete);
  }

  @Override
  public void close() {
    // The client is shared.
  }
}
