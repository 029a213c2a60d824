package io.lampone.simulation.client;

import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.TransactionMode;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.invariant.NoUnforeseenFailure;
import io.lampone.simulation.world.FutureFailures;
import io.lampone.simulation.world.Lists;
import io.lampone.simulation.world.Place;
import io.lampone.simulation.world.Schema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * The end of a run, after all faults: one client reads all rows, writes to each by the fast path,
 * so that all leftovers there are resolved, and reads them again.
 */
public final class Finish {

  private static final Duration TIMEOUT = Duration.ofSeconds(3);
  private static final int MAX_ATTEMPTS = 20;

  private final SimulatedClient client;
  private final List<Bytes> rows;
  private int attempts;
  private boolean done;

  public Finish(SimulatedClient client) {
    this.client = client;
    this.rows = List.copyOf(new TreeSet<>(Schema.rows(client.plan().rows())));
  }

  public boolean isDone() {
    return done;
  }

  public void start() {
    readAll(false, () -> writeAll(0, () -> readAll(true, () -> done = true)));
  }

  private void again(Runnable what, Throwable failure) {
    client.say(() -> "FINISH FAILED why=" + FutureFailures.unwrap(failure));
    NoUnforeseenFailure.require(client.world(), failure);
    if (++attempts < MAX_ATTEMPTS) {
      client.after(Duration.ofMillis(50), what);
    } else {
      client
          .world()
          .violated(
              "NothingStuck", "healed, and still no answer: " + FutureFailures.unwrap(failure));
    }
  }

  private void readAll(boolean last, Runnable then) {
    long invokedNanos = client.world().nowNanos();
    client
        .core()
        .manager()
        .begin()
        .thenCompose(
            begin -> {
              OpenTransaction open =
                  client.open(begin, new TransactionMode(true, true, false), TIMEOUT);
              return new Reads(client.core())
                  .rows(open, rows, true)
                  .thenAccept(
                      views -> {
                        List<Operation> seen = new ArrayList<>();
                        for (RowView view : views.values()) {
                          see(open.startTimestamp(), view, seen);
                        }
                        client
                            .recorder()
                            .add(
                                new HistoryRecorder.HistoryProcess(
                                    client.process(), invokedNanos, false, last),
                                Outcome.OK,
                                seen,
                                OperationId.NONE,
                                open.startTimestamp(),
                                0,
                                "");
                      });
            })
        .whenComplete(
            (read, failure) -> {
              if (failure == null) {
                then.run();
              } else {
                again(() -> readAll(last, then), failure);
              }
            });
  }

  private void see(long snapshot, RowView view, List<Operation> seen) {
    for (Schema.Column column : Schema.COLUMNS) {
      Optional<Bytes> value = Optional.ofNullable(view.values().get(column));
      client.invariantChecker().read(snapshot, new Place(view.row(), column), value);
      if (column.equals(Schema.LIST)) {
        seen.add(new Operation.Read(view.row().toUtf8(), Lists.decode(value)));
      }
    }
  }

  /** Every column, so that every intent is met; the lists are left as they are. */
  private List<Mutation> mutations() {
    List<Mutation> mutations = new ArrayList<>();
    for (Schema.Column column : Schema.COLUMNS) {
      boolean list = column.equals(Schema.LIST);
      mutations.add(
          new Mutation(
              list ? Kind.APPEND : Kind.PUT,
              column.family(),
              column.qualifier(),
              list ? Bytes.EMPTY : Lists.append(Optional.empty(), client.recorder().newElement())));
    }
    return mutations;
  }

  private void writeAll(int from, Runnable then) {
    if (from == rows.size()) {
      then.run();
      return;
    }
    OperationId id = client.core().names().next();
    FastOperation operation =
        new FastOperation(
            Schema.key(rows.get(from)),
            id,
            false,
            client.core().session().mark(),
            new FastCondition.Always(),
            false,
            mutations());
    CompletableFuture<?> applied =
        client
            .core()
            .driver()
            .start(
                client
                    .core()
                    .fastWrites()
                    .applyOne(
                        Schema.table(rows.get(from)),
                        operation,
                        client.clock().monotonicNanos() + TIMEOUT.toNanos()));
    applied.whenComplete(
        (outcome, failure) -> {
          if (failure == null) {
            writeAll(from + 1, then);
          } else {
            again(() -> writeAll(from, then), failure);
          }
        });
  }
}
