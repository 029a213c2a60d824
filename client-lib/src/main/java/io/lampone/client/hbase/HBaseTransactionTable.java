package io.lampone.client.hbase;

import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.ReadSet;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.client.core.range.ScanProgress;
import io.lampone.client.core.slow.TransactionMetrics.Event;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.hbase.WriteTranslator.RowWrites;
import io.lampone.client.hbase.read.LatestReader;
import io.lampone.client.hbase.read.ReadRules;
import io.lampone.client.hbase.read.RecordingSink;
import io.lampone.client.hbase.read.ScanSink;
import io.lampone.client.hbase.read.SnapshotReader;
import io.lampone.client.hbase.read.SnapshotScan;
import io.lampone.protocol.RowFamily;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
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

/**
 * Table inside a transaction. Reads use {@link SnapshotReader} and {@link SnapshotScan}; writes are
 * checked, translated and buffered. Operations that read and write (increment, append,
 * checkAndMutate) are executed here, in the snapshot: the conflict check at commit makes them
 * atomic, as far as they write what they read.
 */
final class HBaseTransactionTable {

  private final HBaseTransaction transaction;
  private final TableName name;
  private final SnapshotReader reader;
  private final WriteTranslator translator;

  HBaseTransactionTable(HBaseTransaction transaction, TableName name) {
    this.transaction = transaction;
    this.name = name;
    this.translator = transaction.context().translator();
    transaction.uses(name);
    this.reader = new SnapshotReader(transaction.context().access(), transaction.open(), name);
  }

  TableName getName() {
    return name;
  }

  Step<Result> get(Get get) {
    return reading(table -> read(table, get));
  }

  Step<List<Result>> getAll(List<Get> gets) {
    return reading(table -> readAll(table, List.copyOf(gets)));
  }

  /** Reads rows; all reads of single rows use this method. */
  private Step<List<Result>> readAll(TransactionalTableView known, List<Get> gets) {
    Optional<LatestReader> latest = transaction.latest();
    ReadSet reads = transaction.open().reads();
    if (latest.isEmpty() && !reads.isKept()) {
      return transaction.read(() -> reader.getAll(gets));
    }
    // Copies: the recorded reads are the sent ones, even if the application changes its own.
    List<Get> own = gets.stream().map(Get::new).toList();
    return transaction
        .context()
        .tables()
        .upToDate(
            known,
            table -> {
              List<Get> sent = own.stream().map(table::namingFamilies).toList();
              if (latest.isPresent()) {
                // Fails after the deadline.
                return transaction
                    .open()
                    .readRequest()
                    .then(active -> transaction.read(() -> latest.get().read(name, sent)));
              }
              table.requireCertifiable();
              List<ReadSet.Point> points = sent.stream().map(table::point).toList();
              return transaction
                  .read(() -> reader.getAll(sent))
                  .map(
                      results -> {
                        points.forEach(reads::add);
                        return results;
                      });
            });
  }

  private Step<Result> read(TransactionalTableView table, Get get) {
    return readAll(table, List.of(get)).map(results -> results.get(0));
  }

  /**
   * Scan that is about to begin.
   *
   * @param scan scan as sent
   * @param progress recorder of the rows that the application gets
   */
  record Prepared(Scan scan, ScanProgress progress) {}

  /** Completes when the table is known to be scannable by the transaction. */
  Step<Prepared> prepare(Scan scan) {
    return reading(table -> Step.done(prepare(table, scan)));
  }

  private Prepared prepare(TransactionalTableView table, Scan scan) {
    if (transaction.latest().isPresent()) {
      throw new BadRequestException(
          Code.BAD_REQUEST,
          "a LATEST transaction has gets only: scan in a STRICT or SESSION transaction, table="
              + table.name());
    }
    ReadSet reads = transaction.open().reads();
    if (!reads.isKept()) {
      return new Prepared(scan, ScanProgress.NONE);
    }
    table.requireCertifiable();
    // A copy: the recorded scan is the sent one, even if the application changes its own.
    Scan sent = table.namingFamilies(scan);
    return new Prepared(sent, reads.scan(table.range(sent), sent.isReversed(), sent.getLimit()));
  }

  Step<List<Result>> scanAll(Scan scan) {
    List<Result> results = new ArrayList<>();
    return scan(
            scan,
            result -> {
              results.add(result);
              return true;
            })
        .map(done -> results);
  }

  /**
   * Ends when the consumer has received all results.
   *
   * @param consumer returns false to stop
   */
  Step<Void> scan(Scan scan, Predicate<Result> consumer) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    return reading(
        table -> {
          Prepared prepared = prepare(table, scan);
          startScan(
              prepared.scan(),
              new RecordingSink(prepared.progress(), consumer, end),
              OptionalLong.empty());
          return AsyncRequest.step(() -> end);
        });
  }

  /**
   * Starts a scan that does not count as running: its owner ends it.
   *
   * @param here see {@link SnapshotScan#start(OptionalLong)}
   */
  void startScan(Scan scan, ScanSink sink, OptionalLong here) {
    transaction.context().access().metrics().transactions().count(Event.SCAN);
    new SnapshotScan(transaction.context().access(), transaction.open(), name, scan, sink)
        .start(here);
  }

  /** Writes a put or delete. */
  Step<Void> write(Mutation mutation) {
    return writing(
        table -> {
          RowWrites writes = translator.translate(table, mutation);
          transaction.open().admit(table.name(), writes.cells());
          return buffer(table, writes);
        });
  }

  /** Writes puts and deletes, in order, as one operation: all of them, or none. */
  Step<Void> writeAll(List<? extends Mutation> mutations) {
    List<Mutation> all = List.copyOf(mutations);
    return writing(
        table -> {
          // All of them before one is buffered: another may be invalid, or one too many.
          Queue<RowWrites> writes = new ArrayDeque<>(all.size());
          all.forEach(mutation -> writes.add(translator.translate(table, mutation)));
          transaction.open().admit(table.name(), writes.stream().mapToInt(RowWrites::cells).sum());
          return writeAll(table, writes);
        });
  }

  Step<Result> increment(Increment increment) {
    return writing(table -> transaction.update(() -> mutateRow(table, List.of(increment))));
  }

  Step<Result> append(Append append) {
    return writing(table -> transaction.update(() -> mutateRow(table, List.of(append))));
  }

  Step<CheckAndMutateResult> checkAndMutate(CheckAndMutate check) {
    return writing(table -> transaction.update(() -> checkAndMutate(table, check)));
  }

  Step<Result> mutateRow(RowMutations mutations) {
    return writing(table -> transaction.update(() -> mutateRow(table, mutations.getMutations())));
  }

  /** Executes several actions; {@code results} has those of completed ones, even on failure. */
  Step<List<Object>> batch(List<? extends Row> actions, List<Object> results) {
    List<Row> all = List.copyOf(actions);
    return transaction.operation(() -> batchFrom(all, 0, results));
  }

  /** Executes the actions one after the other, but consecutive gets together. */
  private Step<List<Object>> batchFrom(List<Row> actions, int from, List<Object> results) {
    if (from == actions.size()) {
      return Step.done(results);
    }
    int to = from;
    while (to < actions.size() && ReadRules.isValidGet(actions.get(to))) {
      to++;
    }
    int rest = Math.max(to, from + 1);
    Step<? extends List<?>> some =
        to > from
            ? getAll(actions.subList(from, to).stream().map(Get.class::cast).toList())
            : act(actions.get(from)).map(List::of);
    return some.then(
        more -> {
          results.addAll(more);
          return batchFrom(actions, rest, results);
        });
  }

  private Step<?> act(Row action) {
    if (action instanceof Get get) { // an invalid one, which fails in its own place
      return get(get);
    }
    if (action instanceof Put || action instanceof Delete) {
      return write((Mutation) action).map(done -> Result.EMPTY_RESULT);
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
    if (action instanceof CheckAndMutate check) {
      return checkAndMutate(check);
    }
    throw new BadRequestException(
        Code.BAD_REQUEST,
        "this kind of action is not supported in a batch, class=" + action.getClass().getName());
  }

  private Step<CheckAndMutateResult> checkAndMutate(
      TransactionalTableView table, CheckAndMutate check) {
    WriteTranslator.checkRow(check.getRow());
    return read(table, RowCondition.reads(check))
        .then(
            row -> {
              if (!RowCondition.holds(check, row)) {
                return Step.done(new CheckAndMutateResult(false, null));
              }
              return mutateRow(table, RowCondition.mutations(check))
                  .map(result -> new CheckAndMutateResult(true, result.isEmpty() ? null : result));
            });
  }

  /** Changes one row by mutations of any kind; returns an empty result if they have none. */
  private Step<Result> mutateRow(TransactionalTableView table, List<Mutation> mutations) {
    transaction.open().admit(table.name(), translator.check(table, mutations));
    List<Cell> cells = new ArrayList<>();
    AtomicInteger carriedOut = new AtomicInteger();
    return mutateFrom(table, mutations, 0, cells, carriedOut)
        .next(
            event -> {
              Throwable failure = event.failure();
              if (failure != null) {
                if (carriedOut.get() > 0) {
                  // Some of them are buffered: they must never be committed without the others.
                  transaction.rollbackOpen(failure);
                }
                return Step.failed(failure);
              }
              cells.sort(CellComparator.getInstance());
              return Step.done(cells.isEmpty() ? Result.EMPTY_RESULT : Result.create(cells));
            });
  }

  private Step<Void> mutateFrom(
      TransactionalTableView table,
      List<Mutation> mutations,
      int from,
      List<Cell> cells,
      AtomicInteger carriedOut) {
    return from == mutations.size()
        ? Step.done()
        : mutate(table, mutations.get(from))
            .then(
                result -> {
                  carriedOut.incrementAndGet();
                  cells.addAll(result.isEmpty() ? List.of() : result.listCells());
                  return mutateFrom(table, mutations, from + 1, cells, carriedOut);
                });
  }

  private Step<Result> mutate(TransactionalTableView table, Mutation mutation) {
    return mutation instanceof Increment || mutation instanceof Append
        ? compute(table, mutation)
        : buffer(table, translator.translate(table, mutation)).map(done -> Result.EMPTY_RESULT);
  }

  /** Executes an increment or append: read, compute, write. */
  private Step<Result> compute(TransactionalTableView table, Mutation mutation) {
    return read(table, RowArithmetic.reads(mutation))
        .then(
            present -> {
              Put put = RowArithmetic.writes(mutation, present);
              return buffer(table, translator.translate(table, put))
                  .map(
                      done ->
                          RowArithmetic.returnsResult(mutation)
                              ? RowArithmetic.result(put, transaction.startTimestamp())
                              : Result.EMPTY_RESULT);
            });
  }

  /** Writes rows, and removes what is buffered or sent. */
  private Step<Void> writeAll(TransactionalTableView table, Queue<RowWrites> rows) {
    RowWrites next = rows.poll();
    return next == null ? Step.done() : buffer(table, next).then(done -> writeAll(table, rows));
  }

  private Step<Void> buffer(TransactionalTableView table, RowWrites writes) {
    List<Step<Void>> buffered = new ArrayList<>(writes.families().size());
    try {
      writes
          .families()
          .forEach(
              (family, list) ->
                  buffered.add(
                      transaction
                          .open()
                          .buffer(
                              table.level(),
                              new RowFamily(table.name(), writes.row(), family),
                              list)));
    } catch (RuntimeException e) {
      if (!buffered.isEmpty() || e instanceof TransactionEndedException) {
        // Half a mutation is buffered and must never be committed, or the buffered cells are
        // invalid.
        transaction.rollbackOpen(e);
      }
      throw e;
    }
    return Step.all(buffered).then(all -> Step.done());
  }

  private <T> Step<T> reading(Function<TransactionalTableView, Step<T>> body) {
    return onTable(table -> body.apply(table.forReading()));
  }

  private <T> Step<T> writing(Function<TransactionalTableView, Step<T>> body) {
    return onTable(table -> body.apply(table.forWriting()));
  }

  private <T> Step<T> onTable(Function<TransactionalTableView, Step<T>> body) {
    return transaction.operation(
        () -> AsyncRequest.step(() -> transaction.context().tables().get(name)).then(body));
  }
}
