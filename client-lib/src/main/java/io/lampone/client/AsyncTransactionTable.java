package io.lampone.client;

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

/** View of a table within an {@link AsyncTransaction}; methods have the semantics of HBase's. */
public interface AsyncTransactionTable {

  TableName getName();

  CompletableFuture<Result> get(Get get);

  /** Reads several rows, in one batch per server. */
  CompletableFuture<List<Result>> getAll(List<Get> gets);

  CompletableFuture<Boolean> exists(Get get);

  /** Returns all results of the scan, held in memory. */
  CompletableFuture<List<Result>> scanAll(Scan scan);

  /** Passes results to the consumer as they arrive; the last call is onComplete or onError. */
  void scan(Scan scan, ScanResultConsumer consumer);

  CompletableFuture<Void> put(Put put);

  CompletableFuture<Void> putAll(List<Put> puts);

  CompletableFuture<Void> delete(Delete delete);

  CompletableFuture<Void> deleteAll(List<Delete> deletes);

  CompletableFuture<Result> increment(Increment increment);

  CompletableFuture<Result> append(Append append);

  CompletableFuture<CheckAndMutateResult> checkAndMutate(CheckAndMutate checkAndMutate);

  CompletableFuture<Result> mutateRow(RowMutations mutations);

  /** Returns results in the order of the actions; reads see the writes that precede them. */
  CompletableFuture<List<Result>> batch(List<? extends Row> actions);
}
