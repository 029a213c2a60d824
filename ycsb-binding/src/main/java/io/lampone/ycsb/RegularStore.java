package io.lampone.ycsb;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/**
 * Regular transactions of several operations each; the last operation commits and gets the commit's
 * outcome. Nothing is repeated: an abort is a result.
 */
final class RegularStore implements Store {

  private final LamponeClient client;
  private final TableName name;
  private final int operationsEach;

  /** Open transaction, if any. */
  private Optional<Transaction> open = Optional.empty();

  /** Number of its operations. */
  private int operations;

  RegularStore(LamponeClient client, TableName name, int operationsEach) {
    this.client = client;
    this.name = name;
    this.operationsEach = operationsEach;
  }

  @Override
  public Result get(Get get) throws IOException {
    return within(table -> table.get(get));
  }

  @Override
  public List<Result> scan(Scan scan, int limit) throws IOException {
    return within(table -> PlainStore.rows(table, scan, limit));
  }

  @Override
  public void put(Put put) throws IOException {
    within(
        table -> {
          table.put(put);
          return true;
        });
  }

  @Override
  public void putAll(List<Put> puts) throws IOException {
    within(
        table -> {
          table.put(puts);
          return true;
        });
  }

  @Override
  public void delete(Delete delete) throws IOException {
    within(
        table -> {
          table.delete(delete);
          return true;
        });
  }

  @Override
  public void close() throws IOException {
    if (open.isPresent()) {
      commit(open.get());
    }
  }

  /** Work of an operation on the table. */
  @FunctionalInterface
  private interface Work<T> {
    T on(Table table) throws IOException;
  }

  private <T> T within(Work<T> work) throws IOException {
    Transaction transaction;
    if (open.isPresent()) {
      transaction = open.get();
    } else {
      transaction = client.begin();
      open = Optional.of(transaction);
      operations = 0;
    }
    T result;
    try {
      result = work.on(transaction.table(name));
    } catch (IOException | RuntimeException e) {
      open = Optional.empty();
      transaction.close();
      throw e;
    }
    operations++;
    if (operations >= operationsEach) {
      commit(transaction);
    }
    return result;
  }

  private void commit(Transaction transaction) throws IOException {
    open = Optional.empty();
    try (transaction) {
      transaction.commit();
    }
  }
}
