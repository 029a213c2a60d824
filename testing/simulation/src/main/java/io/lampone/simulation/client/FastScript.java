package io.lampone.simulation.client;

import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.checker.format.HistoryWriter;
import io.lampone.client.core.failure.OperationUnknownException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.request.FastReply;
import io.lampone.simulation.hbase.Layout;
import io.lampone.simulation.hbase.RegionReads;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.invariant.NoUnforeseenFailure;
import io.lampone.simulation.invariant.NothingMissed;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.FutureFailures;
import io.lampone.simulation.world.Lists;
import io.lampone.simulation.world.Schema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One operation of the fast path. */
final class FastScript {

  private static final Duration TIMEOUT = Duration.ofMillis(1_500);
  private static final FastCondition ALWAYS = new FastCondition.Always();

  private final SimulatedClient client;
  private final Runnable ended;
  private final Chance chance;
  private final List<Bytes> rows;
  private final long invokedNanos;
  private final int process;
  private final long deadlineNanos;

  FastScript(SimulatedClient client, Runnable ended) {
    this.client = client;
    this.ended = ended;
    this.chance = client.world().chance();
    this.rows = Schema.rows(client.plan().rows());
    this.invokedNanos = client.world().nowNanos();
    this.process = client.process();
    this.deadlineNanos = client.clock().monotonicNanos() + TIMEOUT.toNanos();
  }

  void start() {
    Bytes row = chance.pick(rows);
    switch (chance.between(0, 9)) {
      case 0 -> read(row);
      case 1 -> readLatest(chance.oneIn(2) ? client.latest().news().orElse(row) : row);
      case 2, 3, 4 -> append(List.of(row));
      case 5 -> append(neighbours(row));
      case 6, 7 -> readAndWrite(row);
      case 8 -> blind(row, false);
      default -> blind(row, true);
    }
  }

  /** Rows of one region, which are changed together. */
  private List<Bytes> neighbours(Bytes row) {
    TreeSet<Bytes> together = new TreeSet<>();
    Layout layout = client.core().calls().layout();
    rows.stream().filter(r -> layout.regionOf(r) == layout.regionOf(row)).forEach(together::add);
    return List.copyOf(together);
  }

  private void read(Bytes row) {
    new Reads(client.core())
        .fast(row, Wants.CELLS)
        .whenComplete(
            (found, failure) -> {
              if (failure != null) {
                NoUnforeseenFailure.require(client.world(), failure);
              } else {
                client.invariantChecker().shown(found.row());
                record(OperationId.NONE, Outcome.OK, List.of(readOf(row, found.row())), 0, "");
              }
              ended.run();
            });
  }

  private void readLatest(Bytes row) {
    client.say(() -> "READS LATEST row=" + row.toUtf8());
    NothingMissed.Question question = client.latest().begins(row);
    new Reads(client.core())
        .fast(row, Wants.LATEST)
        .whenComplete(
            (found, failure) -> {
              if (failure != null) {
                NoUnforeseenFailure.require(client.world(), failure);
              } else {
                client.latest().shown(question, found.row());
                record(OperationId.NONE, Outcome.OK, List.of(readOf(row, found.row())), 0, "");
              }
              ended.run();
            });
  }

  private static Operation readOf(Bytes row, RowView view) {
    return new Operation.Read(
        row.toUtf8(), Lists.decode(Optional.ofNullable(view.values().get(Schema.LIST))));
  }

  private void append(List<Bytes> some) {
    OperationId id = client.core().names().next();
    List<FastOperation> operations = new ArrayList<>();
    List<Long> elements = new ArrayList<>();
    for (Bytes row : some) {
      long element = client.recorder().newElement();
      elements.add(element);
      operations.add(
          operation(
              row,
              id,
              ALWAYS,
              new Mutation(
                  Kind.APPEND,
                  Schema.LIST.family(),
                  Schema.LIST.qualifier(),
                  Lists.append(Optional.empty(), element))));
    }
    send(
        id,
        some,
        operations,
        outcomes -> {
          List<Operation> done = new ArrayList<>();
          for (int i = 0; i < some.size(); i++) {
            String key = some.get(i).toUtf8();
            // An operation that was applied before returns no cells.
            if (outcomes != null && !outcomes.get(i).cells().isEmpty()) {
              List<Long> after = Lists.decode(Optional.of(outcomes.get(i).cells().get(0).value()));
              done.add(new Operation.Read(key, after.subList(0, after.size() - 1)));
            }
            done.add(new Operation.Append(key, elements.get(i)));
          }
          return done;
        });
  }

  private void readAndWrite(Bytes row) {
    new Reads(client.core())
        .fast(row, Wants.VERSION)
        .whenComplete(
            (found, failure) -> {
              if (failure != null) {
                NoUnforeseenFailure.require(client.world(), failure);
                ended.run();
              } else {
                client.after(
                    chance.nanosUpTo(Duration.ofMillis(2)), () -> writeIfUnchanged(row, found));
              }
            });
  }

  private void writeIfUnchanged(Bytes row, RegionReads.FastRow found) {
    long element = client.recorder().newElement();
    List<Place> scope =
        client.plan().level() == ConflictLevel.ROW
            ? List.of()
            : Schema.FAMILIES.stream().map(Place::family).toList();
    Bytes after = Lists.append(Optional.ofNullable(found.row().values().get(Schema.LIST)), element);
    OperationId id = client.core().names().next();
    FastOperation operation =
        operation(
            row,
            id,
            new FastCondition.Unchanged(found.reply().version(), scope),
            new Mutation(Kind.PUT, Schema.LIST.family(), Schema.LIST.qualifier(), after));
    send(
        id,
        List.of(row),
        List.of(operation),
        outcomes -> List.of(readOf(row, found.row()), new Operation.Append(row.toUtf8(), element)));
  }

  /** Puts or deletes without reading; not part of the history. */
  private void blind(Bytes row, boolean deletes) {
    OperationId id = client.core().names().next();
    Schema.Column column = chance.pick(Schema.REGISTERS);
    Mutation mutation =
        deletes
            ? chance.oneIn(2)
                ? new Mutation(Kind.DELETE_FAMILY, Schema.G, Bytes.EMPTY, Bytes.EMPTY)
                : new Mutation(Kind.DELETE_COLUMN, column.family(), column.qualifier(), Bytes.EMPTY)
            : new Mutation(
                Kind.PUT,
                column.family(),
                column.qualifier(),
                Lists.append(Optional.empty(), client.recorder().newElement()));
    client.invariantChecker().intends(id, row, mutation);
    send(id, List.of(row), List.of(operation(row, id, ALWAYS, mutation)), outcomes -> List.of());
  }

  private FastOperation operation(
      Bytes row, OperationId id, FastCondition condition, Mutation mutation) {
    long mark = client.core().session().mark();
    return new FastOperation(Schema.key(row), id, false, mark, condition, true, List.of(mutation));
  }

  /** Operations for the judge; the outcomes are null if unknown. */
  private interface Story {
    List<Operation> tell(@Nullable List<FastReply.Outcome> outcomes);
  }

  /**
   * @param names of the rows, for each operation one; all in one table
   */
  private void send(
      OperationId id, List<Bytes> names, List<FastOperation> operations, Story story) {
    String table = Schema.table(names.get(0));
    client.say(
        () ->
            "FAST id="
                + id
                + " rows="
                + names.stream().map(Bytes::toUtf8).toList()
                + " "
                + operations.get(0).mutations().get(0).kind()
                + " "
                + operations.get(0).condition());
    client.onDeath(() -> record(id, Outcome.UNKNOWN, story.tell(null), 0, HistoryWriter.NO_END));
    CompletableFuture<List<FastReply.Outcome>> done =
        client
            .core()
            .driver()
            .start(client.core().fastWrites().applyTogether(table, operations, deadlineNanos));
    done.whenComplete(
        (outcomes, failure) -> {
          client.say(() -> "FAST ENDED id=" + id + " " + (failure == null ? outcomes : failure));
          if (failure == null) {
            answered(id, outcomes, story);
          } else {
            failed(id, failure, operations.size() > 1, story);
          }
          ended.run();
        });
  }

  private void answered(OperationId id, List<FastReply.Outcome> outcomes, Story story) {
    FastReply.Outcome first = outcomes.get(0);
    if (outcomes.stream().allMatch(outcome -> outcome.kind().isApplied())) {
      client.invariantChecker().applied(id, first.version());
      record(id, Outcome.OK, story.tell(outcomes), first.version(), "");
    } else {
      client.invariantChecker().notApplied(id);
      record(id, Outcome.FAILED, story.tell(null), 0, first.kind().name());
    }
  }

  private void failed(OperationId id, Throwable failure, boolean together, Story story) {
    // Rows of one atomic request may lie in two regions by now.
    if (!(together && FutureFailures.unwrap(failure) instanceof IllegalArgumentException)) {
      NoUnforeseenFailure.require(client.world(), failure);
    }
    String why = FutureFailures.unwrap(failure).getClass().getSimpleName();
    if (FutureFailures.unwrap(failure) instanceof OperationUnknownException) {
      record(id, Outcome.UNKNOWN, story.tell(null), 0, why);
      client.becomeAnother();
    } else {
      client.invariantChecker().notApplied(id);
      record(id, Outcome.FAILED, story.tell(null), 0, why);
    }
  }

  private void record(
      OperationId id, Outcome outcome, List<Operation> operations, long commit, String why) {
    if (!operations.isEmpty()) {
      client
          .recorder()
          .add(
              new HistoryRecorder.HistoryProcess(process, invokedNanos, true),
              outcome,
              operations,
              id,
              0,
              commit,
              why);
    }
  }
}
