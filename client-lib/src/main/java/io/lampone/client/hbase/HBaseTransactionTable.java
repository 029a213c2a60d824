package io.lampone.client.hbase;

import io.lampone.client.AsyncTransactionTable;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.client.hbase.read.ReadRules;
import io.lampone.client.hbase.read.ScanSink;
import io.lampone.client.hbase.read.SnapshotReader;
import io.lampone.client.hbase.read.SnapshotScan;
import io.lampone.client.hbase.transport.Futures;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;

/**
 * A table inside a transaction. Reads go by {@link SnapshotReader} and {@link SnapshotScan}; writes
 * are checked, translated and buffered. What reads and writes (increment, append, checkAndMutate)
 * is done here, in the snapshot: the conflict check at commit makes it atomic.
 */
final class HBaseTransactionTable implements AsyncTransactionTable {

  private final HBaseTransaction transaction;
  private final TableName name;
  private final SnapshotReader reader;

  HBaseTransactionTable(HBaseTransaction transaction, TableName name) {
    this.transaction = transaction;
    this.name = name;
    this.reader = new SnapshotReader(transaction.context().access(), transaction.open(), name);
  }

  @Override
  public TableName getName() {
    return name;
  }

  @Override
  public CompletableFuture<Result> get(Get get) {
    return reading(table -> reader.get(get));
  }

  @Override
  public CompletableFuture<List<Result>> getAll(List<Get> gets) {
    return reading(table -> reader.getAll(List.copyOf(gets)));
  }

  @Override
  public CompletableFuture<Boolean> exists(Get get) {
    return get(get).thenApply(ReadRules::exists);
  }

  @Override
  public CompletableFuture<List<Result>> scanAll(Scan scan) {
    CompletableFuture<List<Result>> all = new CompletableFuture<>();
    List<Result> results = new ArrayList<>();
    return reading(
        table -> {
          startScan(
              scan,
              new ScanSink() {
                @Override
                public boolean onNext(List<Result> group) {
                  results.addAll(group);
                  return true;
                }

                @Override
                public void onComplete() {
                  all.complete(results);
                }

                @Override
                public void onError(Throwable failure) {
                  all.completeExceptionally(failure);
                }
              });
          return all;
        });
  }

  @Override
  public void scan(Scan scan, ScanResultConsumer consumer) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    CompletableFuture<Void> scanned =
        reading(
            table -> {
              startScan(
                  scan,
                  new ScanSink() {
                    @Override
                    public boolean onNext(List<Result> results) {
                      for (Result result : results) {
                        if (!consumer.onNext(result)) {
                          return false;
                        }
                      }
                      return true;
                    }

                    @Override
                    public void onComplete() {
                      end.complete(null);
                    }

                    @Override
                    public void onError(Throwable failure) {
                      end.completeExceptionally(failure);
                    }
                  });
              return end;
            });
    scanned.whenComplete(
        (done, failure) -> {
          if (failure == null) {
            consumer.onComplete();
          } else {
            consumer.onError(StoreFailures.unwrap(failure));
          }
        });
  }

  /** Starts a scan that is not counted as under way: its owner ends it. */
  void startScan(Scan scan, ScanSink sink) {
    new SnapshotScan(transaction.context().access(), transaction.open(), name, scan, sink).start();
  }

  /** Completes when the table is known to be one that a transaction may read. */
  CompletableFuture<Void> readable() {
    return reading(table -> CompletableFuture.completedFuture(null));
  }

  @Override
  public CompletableFuture<Void> put(Put put) {
    return writing(table -> write(table, put));
  }

  @Override
  public CompletableFuture<Void> putAll(List<Put> puts) {
    return writing(table -> writeAll(table, List.copyOf(puts)));
  }

  @Override
  public CompletableFuture<Void> delete(Delete delete) {
    return writing(table -> write(table, delete));
  }

  @Override
  public CompletableFuture<Void> deleteAll(List<Delete> deletes) {
    return writing(table -> writeAll(table, List.copyOf(deletes)));
  }

  @Override
  public CompletableFuture<Result> increment(Increment increment) {
    return writing(table -> transaction.update(() -> compute(table, increment)));
  }

  @Override
  public CompletableFuture<Result> append(Append append) {
    return writing(table -> transaction.update(() -> compute(table, append)));
  }

  @Override
  public CompletableFuture<CheckAndMutateResult> checkAndMutate(CheckAndMutate check) {
    return writing(table -> transaction.update(() -> checkAndMutate(table, check)));
  }

  @Override
  public CompletableFuture<Result> mutateRow(RowMutations mutations) {
    return writing(table -> transaction.update(() -> mutateRow(table, mutations)));
  }

  @Override
  public CompletableFuture<List<Result>> batch(List<? extends Row> actions) {
    return batch(actions, new ArrayList<>(actions.size()));
  }

  /** The same; {@code results} grows with what is done, also if the batch fails then. */
  CompletableFuture<List<Result>> batch(List<? extends Row> actions, List<Result> results) {
    List<Row> all = List.copyOf(actions);
    return transaction.operation(() -> batchFrom(all, 0, results));
  }

  /** One action after the other, but gets in a row together. */
  private CompletableFuture<List<Result>> batchFrom(
      List<Row> actions, int from, List<Result> results) {
    int next = from;
    while (next < actions.size()) {
      int first = next;
      int to = first;
      while (to < actions.size() && actions.get(to) instanceof Get) {
        to++;
      }
      int rest = Math.max(to, first + 1);
      CompletableFuture<List<Result>> some =
          to > first
              ? getAll(actions.subList(first, to).stream().map(Get.class::cast).toList())
              : act(actions.get(first)).thenApply(List::of);
      if (!some.isDone() || some.isCompletedExceptionally()) {
        // What is buffered at once is done in this loop, so that many actions make no deep stack.
        return some.thenCompose(
            more -> {
              results.addAll(more);
              return batchFrom(actions, rest, results);
            });
      }
      results.addAll(some.join());
      next = rest;
    }
    return CompletableFuture.completedFuture(results);
  }

  private CompletableFuture<Result> act(Row action) {
    if (action instanceof Put put) {
      return put(put).thenApply(done -> Result.EMPTY_RESULT);
    }
    if (action instanceof Delete delete) {
      return delete(delete).thenApply(done -> Result.EMPTY_RESULT);
    }
    if (action instanceof Increment increment) {
      return increment(increment);
    }
    if (action instanceof Append append) {
      return append(append);
    }
    if (action instanceof RowMutations mutations) {
      return mutateRow(mutations);
    }
    throw new BadRequestException(
        Code.BAD_REQUEST,
        "this kind of action is not supported in a batch, class=" + action.getClass().getName());
  }

  private CompletableFuture<CheckAndMutateResult> checkAndMutate(
      TransactionalTableView table, CheckAndMutate check) {
    WriteTranslator.checkRow(check.getRow());
    return reader
        .get(RowCondition.reads(check))
        .thenCompose(
            row -> {
              if (!RowCondition.holds(check, row)) {
                return CompletableFuture.completedFuture(new CheckAndMutateResult(false, null));
              }
              return mutate(table, check.getAction())
                  .thenApply(
                      result -> new CheckAndMutateResult(true, result.isEmpty() ? null : result));
            });
  }

  /** One action of any kind; an empty result if it gives none. */
  private CompletableFuture<Result> mutate(TransactionalTableView table, Row action) {
    if (action instanceof RowMutations mutations) {
      return mutateRow(table, mutations);
    }
    if (action instanceof Increment || action instanceof Append) {
      return compute(table, (Mutation) action);
    }
    return write(table, (Mutation) action).thenApply(done -> Result.EMPTY_RESULT);
  }

  private CompletableFuture<Result> mutateRow(
      TransactionalTableView table, RowMutations mutations) {
    WriteTranslator translator = transaction.context().translator();
    translator.check(mutations);
    for (Mutation mutation : mutations.getMutations()) {
      if (mutation instanceof Put || mutation instanceof Delete) {
        translator.translate(table, mutation); // what cannot be is found before one is buffered
      }
    }
    AtomicInteger carriedOut = new AtomicInteger();
    CompletableFuture<List<Cell>> all = CompletableFuture.completedFuture(new ArrayList<>());
    for (Mutation mutation : mutations.getMutations()) {
      all =
          all.thenCompose(
              cells ->
                  mutate(table, mutation)
                      .thenApply(
                          result -> {
                            carriedOut.incrementAndGet();
                            cells.addAll(result.isEmpty() ? List.of() : result.listCells());
                            return cells;
                          }));
    }
    return all.whenComplete(
            (cells, failure) -> {
              if (failure != null && carriedOut.get() > 0) {
                // Some of them are buffered: they must never be committed without the others.
                transaction.open().rollback();
              }
            })
        .thenApply(
            cells -> {
              cells.sort(CellComparator.getInstance());
              return cells.isEmpty() ? Result.EMPTY_RESULT : Result.create(cells);
            });
  }

  /** An increment or append: read, compute, write. */
  private CompletableFuture<Result> compute(TransactionalTableView table, Mutation mutation) {
    transaction.context().translator().check(mutation);
    mutation.getFamilyCellMap().keySet().forEach(family -> table.checkFamily(Bytes.of(family)));
    return reader
        .get(RowArithmetic.reads(mutation))
        .thenCompose(
            present -> {
              Put put = RowArithmetic.writes(mutation, present);
              return write(table, put)
                  .thenApply(
                      done ->
                          RowArithmetic.returnsResult(mutation)
                              ? RowArithmetic.result(put, transaction.startTimestamp())
                              : Result.EMPTY_RESULT);
            });
  }

  private CompletableFuture<Void> writeAll(
      TransactionalTableView table, List<? extends Mutation> mutations) {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (Mutation mutation : mutations) {
      all = all.thenCompose(done -> write(table, mutation));
    }
    return all;
  }

  private CompletableFuture<Void> write(TransactionalTableView table, Mutation mutation) {
    Map<Bytes, List<Write>> writes = transaction.context().translator().translate(table, mutation);
    Bytes row = Bytes.of(mutation.getRow());
    List<CompletableFuture<Void>> buffered = new ArrayList<>(writes.size());
    try {
      writes.forEach(
          (family, list) ->
              buffered.add(
                  transaction
                      .open()
                      .write(table.level(), new RowFamily(table.name(), row, family), list)));
    } catch (RuntimeException e) {
      if (!buffered.isEmpty() || e instanceof TransactionEndedException) {
        // Half a mutation is buffered: it must never be committed. Or what is buffered cannot be.
        transaction.open().rollback();
      }
      throw e;
    }
    return buffered.size() == 1 ? buffered.get(0) : Futures.allEnded(buffered);
  }

  private <T> CompletableFuture<T> reading(
      Function<TransactionalTableView, CompletableFuture<T>> body) {
    return transaction.operation(
        () ->
            Futures.then(
                transaction.context().tables().get(name), table -> body.apply(table.forReading())));
  }

  private <T> CompletableFuture<T> writing(
      Function<TransactionalTableView, CompletableFuture<T>> body) {
    return transaction.operation(
        () ->
            transaction
                .context()
                .tables()
                .get(name)
                .thenCompose(table -> body.apply(table.forWriting())));
  }
}
