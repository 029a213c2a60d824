package io.lampone.client.hbase;

import io.lampone.client.AsyncTransactionTable;
import io.lampone.client.hbase.read.ReadRules;
import io.lampone.client.hbase.transport.StoreFailures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;

/** Asynchronous operations of a {@link HBaseTransactionTable}. */
record HBaseAsyncTransactionTable(HBaseTransactionTable table, HBaseTransaction transaction)
    implements AsyncTransactionTable {

  @Override
  public TableName getName() {
    return table.getName();
  }

  @Override
  public CompletableFuture<Result> get(Get get) {
    return transaction.start(table.get(get));
  }

  @Override
  public CompletableFuture<List<Result>> getAll(List<Get> gets) {
    return transaction.start(table.getAll(gets));
  }

  @Override
  public CompletableFuture<Boolean> exists(Get get) {
    return transaction.start(table.get(get).map(ReadRules::exists));
  }

  @Override
  public CompletableFuture<List<Result>> scanAll(Scan scan) {
    return transaction.start(table.scanAll(scan));
  }

  @Override
  public void scan(Scan scan, ScanResultConsumer consumer) {
    transaction
        .start(table.scan(scan, consumer::onNext))
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                consumer.onComplete();
              } else {
                consumer.onError(StoreFailures.unwrap(failure));
              }
            });
  }

  @Override
  public CompletableFuture<Void> put(Put put) {
    return transaction.start(table.put(put));
  }

  @Override
  public CompletableFuture<Void> putAll(List<Put> puts) {
    return transaction.start(table.writeAll(puts));
  }

  @Override
  public CompletableFuture<Void> delete(Delete delete) {
    return transaction.start(table.delete(delete));
  }

  @Override
  public CompletableFuture<Void> deleteAll(List<Delete> deletes) {
    return transaction.start(table.writeAll(deletes));
  }

  @Override
  public CompletableFuture<Result> increment(Increment increment) {
    return transaction.start(table.increment(increment));
  }

  @Override
  public CompletableFuture<Result> append(Append append) {
    return transaction.start(table.append(append));
  }

  @Override
  public CompletableFuture<CheckAndMutateResult> checkAndMutate(CheckAndMutate check) {
    return transaction.start(table.checkAndMutate(check));
  }

  @Override
  public CompletableFuture<Result> mutateRow(RowMutations mutations) {
    return transaction.start(table.mutateRow(mutations));
  }

  @Override
  public CompletableFuture<List<Result>> batch(List<? extends Row> actions) {
    return transaction.start(table.batch(actions, new ArrayList<>(actions.size())));
  }
}
