package io.lampone.client.hbase;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.core.FastReads;
import io.lampone.client.core.failure.OperationUnknownException;
import io.lampone.client.core.slow.TransactionTrace.Phase;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.client.fastpath.RowRead;
import io.lampone.client.fastpath.RowVersion;
import io.lampone.client.hbase.read.BufferOverlay;
import io.lampone.client.hbase.read.FastReader;
import io.lampone.client.hbase.read.FastReader.FastRow;
import io.lampone.client.hbase.read.ReadRules;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.request.FastReply.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;

/** A table by the fast path: checks, translates, and says how it ended. */
final class HBaseFastPathTable {

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
            new FastReads(parts.session(), parts.resolver(), parts.manager()::begin));
  }

  TableName getName() {
    return name;
  }

  Step<Result> get(Get get) {
    return reading(List.of(get), Wants.CELLS).map(rows -> rows.get(0).result());
  }

  Step<Result> getLatest(Get get) {
    return reading(List.of(get), Wants.LATEST).map(rows -> rows.get(0).result());
  }

  Step<List<Result>> getAll(List<Get> gets) {
    return reading(gets, Wants.CELLS).map(rows -> rows.stream().map(RowRead::result).toList());
  }

  Step<RowRead> readForUpdate(Get get) {
    return reading(List.of(get), Wants.VERSION).map(rows -> rows.get(0));
  }

  Step<List<RowRead>> readAllForUpdate(List<Get> gets) {
    return reading(gets, Wants.VERSION);
  }

  private Step<List<RowRead>> reading(List<Get> gets, Wants wants) {
    List<Get> all = List.copyOf(gets);
    return told(
        Phase.FAST_READ,
        Step.begin(
            event -> {
              all.forEach(ReadRules::check);
              return onTable(
                  table -> {
                    TransactionalTableView readable = table.forReading();
                    return reader
                        .read(name, all, wants)
                        .map(rows -> versioned(readable, all, rows));
                  });
            }));
  }

  /** Goes on with what is known of the table, when something may be sent. */
  private <T> Step<T> onTable(Function<TransactionalTableView, Step<T>> next) {
    return path.ready()
        .then(ready -> AsyncRequest.step(() -> path.context().tables().get(name)))
        .then(next);
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

  /**
   * A call.
   *
   * @param ids the names of its operations: a caller that stops waiting can ask by them
   */
  record Named<T>(List<FastPathId> ids, Step<T> machine) {}

  Named<FastPathResult> apply(FastPathOperation operation) {
    FastPathId id = nameOf(operation.action(), path.parts().names().next());
    Step<FastPathResult> machine =
        writing(List.of(operation), List.of(id))
            .then(
                translated ->
                    path.parts()
                        .writes()
                        .applyOne(table(), translated.get(0), path.parts().deadlineNanos()))
            .recover(failure -> Step.failed(told(failure, List.of(id))))
            .map(outcome -> result(outcome, id));
    return new Named<>(List.of(id), told(Phase.FAST_WRITE, machine));
  }

  Named<List<FastPathResult>> applyAll(List<FastPathOperation> operations) {
    List<FastPathOperation> all = List.copyOf(operations);
    List<FastPathId> ids =
        all.stream().map(one -> nameOf(one.action(), path.parts().names().next())).toList();
    Step<List<FastPathResult>> machine =
        writing(all, ids)
            .then(
                translated ->
                    path.parts().writes().apply(table(), translated, path.parts().deadlineNanos()))
            .map(
                ends -> {
                  List<FastPathResult> results = new ArrayList<>();
                  for (int i = 0; i < ends.size(); i++) {
                    results.add(resultOf(ends.get(i), ids.get(i)));
                  }
                  return results;
                });
    return new Named<>(ids, told(Phase.FAST_WRITE, machine));
  }

  /** One of several: its failure is a result. */
  private FastPathResult resultOf(Step.Ended<Outcome> end, FastPathId id) {
    Throwable failure = end.failure();
    if (failure != null) {
      return new FastPathResult.Failed(told(failure, List.of(id)));
    }
    try {
      return result(end.value(), id);
    } catch (BadRequestException e) {
      return new FastPathResult.Failed(told(e, List.of(id)));
    }
  }

  Named<FastPathResult> applyTogether(List<FastPathOperation> operations) {
    List<FastPathOperation> sorted = new ArrayList<>(operations);
    sorted.sort(Comparator.comparing(operation -> Bytes.of(operation.action().getRow())));
    OperationId shared = path.parts().names().next();
    List<FastPathId> ids = sorted.stream().map(one -> nameOf(one.action(), shared)).toList();
    List<FastPathId> first =
        IntStream.range(0, ids.size())
            .filter(at -> at == ids.size() - 1 || writes(sorted.get(at)))
            .mapToObj(ids::get)
            .limit(1)
            .toList();
    Step<FastPathResult> machine =
        Step.begin(
                event -> {
                  requireDistinct(ids);
                  return writing(sorted, ids);
                })
            .then(
                translated ->
                    path.parts()
                        .writes()
                        .applyTogether(table(), translated, path.parts().deadlineNanos()))
            .recover(failure -> Step.failed(told(failure, first)))
            .map(outcomes -> together(outcomes, ids));
    return new Named<>(first, told(Phase.FAST_WRITE, machine));
  }

  /** Returns true if the operation leaves its id in its row; one that only checks leaves none. */
  private static boolean writes(FastPathOperation operation) {
    Row action =
        operation.action() instanceof CheckAndMutate check ? check.getAction() : operation.action();
    return !(action instanceof RowMutations several) || !several.getMutations().isEmpty();
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

  private Step<List<FastOperation>> writing(
      List<FastPathOperation> operations, List<FastPathId> ids) {
    return onTable(
        table -> {
          TransactionalTableView writable = table.forWriting();
          FastTranslator translator = new FastTranslator(path.context().translator());
          List<FastOperation> translated = new ArrayList<>(operations.size());
          for (int i = 0; i < operations.size(); i++) {
            translated.add(translator.translate(writable, operations.get(i), ids.get(i)));
          }
          return Step.done(translated);
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
    path.context().tables().failed(cause, List.of(table()));
    return FailureTranslator.translate(cause, 0);
  }

  /** The same, measured, and with failures as the application sees them. */
  private <T> Step<T> told(Phase phase, Step<T> machine) {
    return path.context()
        .access()
        .metrics()
        .transactions()
        .measure(phase, machine)
        .recover(
            failure ->
                Step.failed(
                    failure instanceof LamponeException ? failure : told(failure, List.of())));
  }
}
