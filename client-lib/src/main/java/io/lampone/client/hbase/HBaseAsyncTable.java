package io.lampone.client.hbase;

import io.lampone.client.hbase.read.ReadRules;
import io.lampone.client.hbase.transport.StoreFailures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.jspecify.annotations.Nullable;

/**
 * HBase's {@link AsyncTable} inside a transaction. A list of gets, puts or deletes is one
 * operation: if it fails, so does each future of it. Scanners block their callers, as HBase's do.
 */
final class HBaseAsyncTable extends AsyncTableBase {

  private final HBaseTransactionTable table;

  HBaseAsyncTable(HBaseTransactionTable table, HBaseTransaction transaction) {
    super(transaction, table.getName());
    this.table = table;
  }

  @Override
  public CompletableFuture<Result> get(Get get) {
    return transaction.start(table.get(get));
  }

  @Override
  public List<CompletableFuture<Result>> get(List<Get> gets) {
    return each(gets, getAll(gets));
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
  public List<CompletableFuture<Boolean>> exists(List<Get> gets) {
    return get(gets).stream().map(found -> found.thenApply(ReadRules::exists)).toList();
  }

  @Override
  public CompletableFuture<List<Result>> scanAll(Scan scan) {
    return transaction.start(table.scanAll(scan));
  }

  @Override
  public void scan(Scan scan, ScanResultConsumer consumer) {
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Predicate<Result> next =
        result -> {
          try {
            return consumer.onNext(result);
          } catch (RuntimeException | Error e) { // the application's own, which it gets back
            thrown.set(e);
            return false;
          }
        };
    transaction
        .start(table.scan(scan, next))
        .whenComplete(
            (done, failure) -> {
              Throwable own = thrown.get();
              if (own != null) {
                consumer.onError(own);
              } else if (failure != null) {
                consumer.onError(StoreFailures.unwrap(failure));
              } else {
                consumer.onComplete();
              }
            });
  }

  @Override
  public ResultScanner getScanner(Scan scan) {
    try {
      return new BlockingTransaction(transaction).table(getName()).getScanner(scan);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public CompletableFuture<Void> put(Put put) {
    return transaction.start(table.write(put));
  }

  @Override
  public List<CompletableFuture<Void>> put(List<Put> puts) {
    return together(puts, putAll(puts));
  }

  @Override
  public CompletableFuture<Void> putAll(List<Put> puts) {
    return transaction.start(table.writeAll(puts));
  }

  @Override
  public CompletableFuture<Void> delete(Delete delete) {
    return transaction.start(table.write(delete));
  }

  @Override
  public List<CompletableFuture<Void>> delete(List<Delete> deletes) {
    return together(deletes, deleteAll(deletes));
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

  /** Executes them one after the other, see {@link #batch}. */
  @Override
  public List<CompletableFuture<CheckAndMutateResult>> checkAndMutate(List<CheckAndMutate> checks) {
    return batch(checks);
  }

  @Override
  public CompletableFuture<Result> mutateRow(RowMutations mutations) {
    return transaction.start(table.mutateRow(mutations));
  }

  /**
   * Executes the actions one after the other; reads see the writes that precede them. Futures of
   * those before the first failure succeed, and their writes stay in the transaction.
   */
  @Override
  public <T> List<CompletableFuture<T>> batch(List<? extends Row> actions) {
    List<Object> done = Collections.synchronizedList(new ArrayList<>(actions.size()));
    CompletableFuture<List<Object>> end = transaction.start(table.batch(actions, done));
    return futures(
        actions,
        at ->
            end.handle(
                (all, failure) -> {
                  if (at < done.size()) {
                    return HBaseAsyncTable.<T>typed(done.get(at));
                  }
                  throw new CompletionException(StoreFailures.unwrap(failure));
                }));
  }

  @Override
  public <T> CompletableFuture<List<T>> batchAll(List<? extends Row> actions) {
    return transaction
        .start(table.batch(actions, new ArrayList<>(actions.size())))
        .thenApply(results -> results.stream().map(HBaseAsyncTable::<T>typed).toList());
  }

  private static <T> List<CompletableFuture<T>> each(
      List<?> actions, CompletableFuture<List<T>> all) {
    return futures(actions, at -> all.thenApply(results -> results.get(at)));
  }

  private static List<CompletableFuture<Void>> together(
      List<?> actions, CompletableFuture<Void> all) {
    return futures(actions, at -> all.thenApply(done -> null));
  }

  private static <T> List<CompletableFuture<T>> futures(
      List<?> actions, IntFunction<CompletableFuture<T>> future) {
    return IntStream.range(0, actions.size()).mapToObj(future).toList();
  }

  @SuppressWarnings("unchecked") // HBase's own contract: T is the result type of the actions
  private static <T> T typed(Object result) {
    return (T) result;
  }
}
