package io.lampone.client.hbase;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.FastReads;
import io.lampone.client.core.failure.OperationUnknownException;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.fastpath.AsyncFastPathTable;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.client.fastpath.RowRead;
import io.lampone.client.fastpath.RowVersion;
import io.lampone.client.hbase.read.BufferOverlay;
import io.lampone.client.hbase.read.FastReader;
import io.lampone.client.hbase.read.FastReader.FastRow;
import io.lampone.client.hbase.read.ReadRules;
import io.lampone.client.hbase.transport.Futures;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.request.FastReply.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;

/** A table by the fast path: checks, translates, and tells how it ended. */
final class HBaseFastPathTable implements AsyncFastPathTable {

  private final HBaseFastPath path;
  private final TableName name;
  private final FastReader reader;

  HBaseFastPathTable(HBaseFastPath path, TableName name) {
    this.path = path;
    this.name = name;
    FastPathParts parts = path.parts();
    this.reader =
        new FastReader(
            path.context().access(),
            new FastReads(parts.session(), parts.resolver(), parts.oracle()));
  }

  /** Starts a call from a thread that will wait for its end, but no longer than that. */
  <T> T here(Duration longest, Supplier<T> call) {
    StoreAccess access = path.context().access();
    long deadlineNanos = access.clock().monotonicNanos() + longest.toNanos();
    return access.direct().waitingHere(deadlineNanos, call);
  }

  @Override
  public TableName getName() {
    return name;
  }

  @Override
  public CompletableFuture<Result> get(Get get) {
    return readingOne(get, Wants.CELLS, (table, row) -> row.result());
  }

  @Override
  public CompletableFuture<Result> getLatest(Get get) {
    return readingOne(get, Wants.LATEST, (table, row) -> row.result());
  }

  @Override
  public CompletableFuture<List<Result>> getAll(List<Get> gets) {
    return reading(List.copyOf(gets), Wants.CELLS)
        .thenApply(rows -> rows.stream().map(RowRead::result).toList());
  }

  @Override
  public CompletableFuture<RowRead> readForUpdate(Get get) {
    return readingOne(get, Wants.VERSION, (table, row) -> versioned(table, get, row));
  }

  @Override
  public CompletableFuture<List<RowRead>> readAllForUpdate(List<Get> gets) {
    return reading(List.copyOf(gets), Wants.VERSION);
  }

  private CompletableFuture<List<RowRead>> reading(List<Get> gets, Wants wants) {
    return calling(
        () -> {
          gets.forEach(ReadRules::check);
          return onTable(
              table -> {
                TransactionalTableView readable = table.forReading();
                return reader
                    .read(name, gets, wants)
                    .thenApply(rows -> versioned(readable, gets, rows));
              });
        });
  }

  private <T> CompletableFuture<T> readingOne(
      Get get, Wants wants, BiFunction<TransactionalTableView, FastRow, T> seen) {
    return calling(
        () -> {
          ReadRules.check(get);
          return onTable(
              table -> {
                TransactionalTableView readable = table.forReading();
                return reader.read(name, get, wants).thenApply(row -> seen.apply(readable, row));
              });
        });
  }

  /** Goes on with what is known of the table, when something may be sent. */
  private <T> CompletableFuture<T> onTable(
      Function<TransactionalTableView, CompletableFuture<T>> next) {
    return Futures.then(
        path.ready(), ready -> Futures.then(path.context().tables().get(name), next));
  }

  private static List<RowRead> versioned(
      TransactionalTableView table, List<Get> gets, List<FastRow> rows) {
    List<RowRead> reads = new ArrayList<>(rows.size());
    for (int i = 0; i < rows.size(); i++) {
      reads.add(versioned(table, gets.get(i), rows.get(i)));
    }
    return reads;
  }

  private static RowRead versioned(TransactionalTableView table, Get get, FastRow row) {
    return new RowRead(
        row.result(),
        new RowVersion(
            Bytes.of(get.getRow()), row.version(), FastTranslator.scope(table.level(), get)));
  }

  @Override
  public CompletableFuture<FastPathResult> apply(FastPathOperation operation) {
    return start(operation).end();
  }

  @Override
  public CompletableFuture<List<FastPathResult>> applyAll(List<FastPathOperation> operations) {
    return startAll(operations).end();
  }

  @Override
  public CompletableFuture<FastPathResult> applyTogether(List<FastPathOperation> operations) {
    return startTogether(operations).end();
  }

  /**
   * A call under way.
   *
   * @param ids the names of its operations: whoever stops waiting can ask by them
   */
  record Started<T>(List<FastPathId> ids, CompletableFuture<T> end) {}

  Started<FastPathResult> start(FastPathOperation operation) {
    FastPathId id = nameOf(operation.action(), path.parts().names().next());
    CompletableFuture<FastPathResult> end =
        calling(
            () ->
                Futures.then(
                        writing(List.of(operation), List.of(id)),
                        translated ->
                            path.parts()
                                .writes()
                                .apply(table(), translated, path.parts().deadlineNanos())
                                .get(0))
                    .handle(
                        (outcome, failure) -> {
                          if (failure != null) {
                            throw new CompletionException(told(failure, List.of(id)));
                          }
                          return result(outcome, id);
                        }));
    return new Started<>(List.of(id), end);
  }

  Started<List<FastPathResult>> startAll(List<FastPathOperation> operations) {
    List<FastPathOperation> all = List.copyOf(operations);
    List<FastPathId> ids =
        all.stream().map(one -> nameOf(one.action(), path.parts().names().next())).toList();
    CompletableFuture<List<FastPathResult>> end =
        calling(
            () ->
                writing(all, ids)
                    .thenCompose(
                        translated -> {
                          List<CompletableFuture<Outcome>> ends =
                              path.parts()
                                  .writes()
                                  .apply(table(), translated, path.parts().deadlineNanos());
                          List<CompletableFuture<FastPathResult>> results = new ArrayList<>();
                          for (int i = 0; i < ends.size(); i++) {
                            FastPathId id = ids.get(i);
                            results.add(
                                ends.get(i).handle((outcome, why) -> resultOf(outcome, why, id)));
                          }
                          return Futures.all(results);
                        }));
    return new Started<>(ids, end);
  }

  /** One of several: its failure is a result. */
  private FastPathResult resultOf(Outcome outcome, Throwable failure, FastPathId id) {
    if (failure != null) {
      return new FastPathResult.Failed(told(failure, List.of(id)));
    }
    try {
      return result(outcome, id);
    } catch (BadRequestException e) {
      return new FastPathResult.Failed(told(e, List.of(id)));
    }
  }

  Started<FastPathResult> startTogether(List<FastPathOperation> operations) {
    List<FastPathOperation> sorted = new ArrayList<>(operations);
    sorted.sort(Comparator.comparing(operation -> Bytes.of(operation.action().getRow())));
    OperationId shared = path.parts().names().next();
    List<FastPathId> ids = sorted.stream().map(one -> nameOf(one.action(), shared)).toList();
    CompletableFuture<FastPathResult> end =
        calling(
            () -> {
              requireDistinct(ids);
              return writing(sorted, ids)
                  .thenCompose(
                      translated ->
                          path.parts()
                              .writes()
                              .applyTogether(table(), translated, path.parts().deadlineNanos()))
                  .handle(
                      (outcomes, failure) -> {
                        if (failure != null) {
                          throw new CompletionException(told(failure, ids.subList(0, 1)));
                        }
                        return together(outcomes, ids);
                      });
            });
    return new Started<>(ids.subList(0, Math.min(1, ids.size())), end);
  }

  private static void requireDistinct(List<FastPathId> ids) {
    if (ids.isEmpty()) {
      throw new BadRequestException(Code.BAD_REQUEST, "nothing to apply: give an operation");
    }
    for (int i = 1; i < ids.size(); i++) {
      if (ids.get(i).row().equals(ids.get(i - 1).row())) {
        throw new BadRequestException(
            Code.BAD_REQUEST,
            "two operations of one row together: put them into one RowMutations, row="
                + ids.get(i).row());
      }
    }
  }

  private String table() {
    return name.getNameAsString();
  }

  private FastPathId nameOf(Row action, OperationId id) {
    return new FastPathId(table(), Bytes.of(action.getRow()), id, path.parts().session().mark());
  }

  private CompletableFuture<List<FastOperation>> writing(
      List<FastPathOperation> operations, List<FastPathId> ids) {
    return onTable(
        table -> {
          TransactionalTableView writable = table.forWriting();
          FastTranslator translator = new FastTranslator(path.context().translator());
          List<FastOperation> translated = new ArrayList<>(operations.size());
          for (int i = 0; i < operations.size(); i++) {
            translated.add(translator.translate(writable, operations.get(i), ids.get(i)));
          }
          return CompletableFuture.completedFuture(translated);
        });
  }

  /** Returns an outcome as the application sees it. */
  private static FastPathResult result(Outcome outcome, FastPathId id) {
    return switch (outcome.kind()) {
      case COMMITTED, APPLIED_BEFORE ->
          new FastPathResult.Committed(outcome.version(), cells(outcome, id.row()));
      case CONFLICT -> new FastPathResult.Conflict(outcome.version());
      case CONDITION_FALSE -> new FastPathResult.ConditionFalse();
      case BAD_VALUE ->
          throw new BadRequestException(
              Code.BAD_REQUEST,
              "a column cannot be incremented because it does not hold 8 bytes, or would grow"
                  + " beyond the largest cell, row="
                  + id.row());
      case BUSY, NOT_APPLIED ->
          throw new IllegalStateException("not the end of an operation, outcome=" + outcome);
    };
  }

  /** All were applied, or one of them says why none was. */
  private static FastPathResult together(List<Outcome> outcomes, List<FastPathId> ids) {
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < outcomes.size(); i++) {
      Outcome outcome = outcomes.get(i);
      if (outcome.kind().isApplied()) {
        Result left = cells(outcome, ids.get(i).row());
        cells.addAll(left.isEmpty() ? List.of() : left.listCells());
        continue;
      }
      switch (outcome.kind()) {
        case BUSY, NOT_APPLIED -> {} // another row was in the way for good
        default -> {
          return result(outcome, ids.get(i));
        }
      }
    }
    return new FastPathResult.Committed(
        outcomes.get(0).version(), cells.isEmpty() ? Result.EMPTY_RESULT : Result.create(cells));
  }

  private static Result cells(Outcome outcome, Bytes row) {
    if (outcome.cells().isEmpty()) {
      return Result.EMPTY_RESULT;
    }
    List<Cell> cells = new ArrayList<>(outcome.cells().size());
    outcome
        .cells()
        .forEach(
            cell ->
                cells.add(
                    BufferOverlay.cell(
                        row.unsafeArray(),
                        cell.family(),
                        cell.qualifier(),
                        cell.value(),
                        outcome.version())));
    cells.sort(CellComparator.getInstance());
    return Result.create(cells);
  }

  /** Returns a failure as the application sees it. */
  private IOException told(Throwable failure, List<FastPathId> ids) {
    Throwable cause = StoreFailures.unwrap(failure);
    if (cause instanceof OperationUnknownException unknown) {
      // It may have been given a newer mark since it got its name.
      List<FastPathId> found =
          ids.stream()
              .map(
                  id ->
                      new FastPathId(
                          id.table(),
                          id.row(),
                          id.operation(),
                          Math.max(id.above(), unknown.above())))
              .toList();
      return new CommitOutcomeUnknownException(found, String.valueOf(cause.getMessage()), cause);
    }
    if (cause instanceof StoreRefusedException refused) {
      path.context().tables().invalidate(TableName.valueOf(refused.table()));
    } else if (cause instanceof UnknownFamilyException unknownFamily) {
      path.context().tables().invalidate(TableName.valueOf(unknownFamily.table()));
    }
    return FailureTranslator.translate(cause, 0);
  }

  private <T> CompletableFuture<T> calling(Supplier<CompletableFuture<T>> body) {
    return Futures.calling(body)
        .handle(
            (value, failure) -> {
              if (failure == null) {
                return value;
              }
              Throwable cause = StoreFailures.unwrap(failure);
              throw new CompletionException(
                  cause instanceof LamponeException ? cause : told(cause, List.of()));
            });
  }
}
