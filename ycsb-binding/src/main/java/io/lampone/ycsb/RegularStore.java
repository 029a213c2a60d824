package io.lampone.ycsb;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
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
  private final Settings settings;

  /** Open transaction, if any. */
  private Optional<Transaction> open = Optional.empty();

  /** Number of its operations. */
  private int operations;

  RegularStore(LamponeClient client, Settings settings) {
    this.client = client;
    this.settings = settings;
  }

  @Override
  public Result get(Get get) throws IOException {
    return within(reading(settings.forGets()), table -> table.get(get));
  }

  @Override
  public List<Result> scan(Scan scan, int limit) throws IOException {
    return within(reading(settings.forScans()), table -> PlainStore.rows(table, scan, limit));
  }

  @Override
  public void put(Put put) throws IOException {
    within(
        TransactionOptions.DEFAULT,
        table -> {
          table.put(put);
          return true;
        });
  }

  @Override
  public void putAll(List<Put> puts) throws IOException {
    within(
        TransactionOptions.DEFAULT,
        table -> {
          table.put(puts);
          return true;
        });
  }

  @Override
  public void delete(Delete delete) throws IOException {
    within(
        TransactionOptions.DEFAULT,
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

  /** Returns the options of a transaction that begins with a read. */
  private TransactionOptions reading(TransactionOptions readOnly) {
    return settings.operations() > 1 ? TransactionOptions.DEFAULT : readOnly;
  }

  private <T> T within(TransactionOptions options, Work<T> work) throws IOException {
    Transaction transaction;
    if (open.isPresent()) {
      transaction = open.get();
    } else {
      transaction = client.begin(options);
      open = Optional.of(transaction);
      operations = 0;
    }
    T result;
    try {
      result = work.on(transaction.table(settings.table()));
    } catch (IOException | RuntimeException e) {
      open = Optional.empty();
      transaction.close();
      throw e;
    }
    operations++;
    if (operations >= settings.operations()) {
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
