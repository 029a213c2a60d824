package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.clock.ExhaustedException;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.fastpath.FastAdmission;
import io.lampone.coprocessor.core.fastpath.FastRegion;
import io.lampone.coprocessor.core.fastpath.FencedAttempts;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.fence.RegionFence;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.fence.RegionReadiness;
import io.lampone.coprocessor.core.fence.ServerGuards;
import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.coprocessor.core.intent.RegularWrite;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Schema;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One region at one server: a store with row locks, a log, and visibility in the order of the log.
 * The region server's own code decides; HBase is simulated. Events may interleave between any two
 * steps of a write.
 */
public final class ServedRegion {

  private static final Duration STEP = Duration.ofNanos(150_000);
  private static final Duration LONG_STEP = Duration.ofMillis(25);
  private static final Duration SLOW_DISK_STEP = Duration.ofMillis(120);
  private static final Duration LONGEST_COMPACTION = Duration.ofMillis(20);
  private static final Duration TICK_PAUSE = Duration.ofMillis(4);
  private static final Duration TICK_PATIENCE = Duration.ofMillis(500);

  private final RegionServer server;
  private final RegionLog log;
  private final RegionStore store;
  private final RowLocks locks = new RowLocks();
  private final FastRegion fast;
  private final RegionReadiness gate;
  private final RegionGuards guards;
  private int underWay;
  private @Nullable Runnable closing;

  /** One request that writes. */
  interface Work<T> {

    /** Under all row locks: the cells for each row. */
    List<List<CellWrite>> decide(List<StoredRow> rows) throws IOException;

    /** The cells are visible, and the rows still locked. */
    default void applied() {}

    /** The cells are visible, or will never be. */
    void ended();

    /** The cells are in the log, and will not be visible before a recovery. */
    void failed();

    /** Before the answer leaves. */
    T confirm();
  }

  ServedRegion(RegionServer server, RegionLog log, long opening, RegionFence fence) {
    this.server = server;
    this.log = log;
    this.store = new RegionStore(log, opening);
    this.fast =
        FastRegion.opened(
            server.versions(),
            server.settled(),
            server.known(),
            server.fencedAttempts(log.region()),
            () -> {});
    this.gate = new RegionReadiness(server.timestampBatches(), fence, fast.recent());
    RegionGuards real =
        new ServerGuards(
            fence,
            gate,
            server.proof(),
            server.versions(),
            server.proofs(),
            LongUnaryOperator.identity());
    this.guards = new WatchedGuards(server.parts().guards(real), server.invariantChecker());
  }

  int number() {
    return log.region();
  }

  RegionServer server() {
    return server;
  }

  RegionGuards guards() {
    return guards;
  }

  public FastRegion fast() {
    return fast;
  }

  /** Returns the recently drawn versions; complete only once the gate is open. */
  RecentVersions recent() {
    gate.isOpen();
    return fast.recent();
  }

  boolean isClosing() {
    return closing != null;
  }

  /** A row by its name. */
  StoredRow row(Bytes name) {
    return store.row(name);
  }

  /** The name of one of its rows. */
  private Bytes name(Bytes key) {
    return Schema.name(table(), key);
  }

  private String table() {
    return Schema.table(log.span().from());
  }

  /** Passes all transaction cells that are visible at this moment to {@code action}. */
  public void eachTransactionCell(RegionStore.CellAction action) {
    store.eachTransactionCell(action);
  }

  /** No further request is begun; runs {@code closed} when those that were begun have ended. */
  void close(Runnable closed) {
    if (closing == null) {
      closing = closed;
      closeIfIdle();
    }
  }

  private void closeIfIdle() {
    Runnable closed = closing;
    if (closed != null && underWay == 0) {
      closed.run();
    }
  }

  /** Schedules the next step of an operation, a little later. */
  void next(Runnable action) {
    Chance chance = server.world().chance();
    boolean slow = chance.oneIn(server.parts().plan().oneSlowIn());
    server.after(chance.nanosUpTo(slow ? LONG_STEP : STEP), action);
  }

  /** Schedules the next step of a write: on a slow disk an append becomes visible much later. */
  private void nextOfWrite(RegionRequest request, Runnable action) {
    if (server.disk().isSlow() || server.isLeftBehind(request)) {
      server.after(server.world().chance().nanosUpTo(SLOW_DISK_STEP), action);
    } else {
      next(action);
    }
  }

  /** A request about intents or transaction cells. */
  public void regular(RegionRequest sent, Consumer<RegionAnswer<RegionReply>> answer) {
    RegionRequest request = server.parts().regularRequest(sent, key -> row(name(key)));
    answering(
        answer,
        () -> {
          requireHere(request.rows());
          RegularWrite write =
              new RegularWrite(
                  request,
                  server.parts().tableRules(request, rules()),
                  new RegularWrite.Setting(
                      guards,
                      server.parts().clockOfStates(server.versions()),
                      recent(),
                      fast.settled(),
                      fast.known()));
          write.admit();
          carryOut(request, new RegionWork.Regular(write), answer);
        });
  }

  /** Returns true if an operation in doubt of a user is remembered from now on. */
  public boolean remembers(String user, OperationId id) {
    return server
        .fencedAttempts(log.region())
        .add(server.parts().user(user), id, FencedAttempts.By.LOOKUP);
  }

  /**
   * Serves a lookup, or a request whose writes are committed at birth.
   *
   * @param user its sender
   */
  public void fast(String user, RegionRequest sent, Consumer<RegionAnswer<FastReply>> answer) {
    RegionRequest request = server.parts().fastRequest(sent, guards, server.versions());
    answering(
        answer,
        () -> {
          requireHere(
              request instanceof OneRegionCommit commit ? commit.rowsOfRegion() : request.rows());
          FastAdmission.admit(request, guards);
          carryOut(request, new RegionWork.Fast(this, server.parts().user(user), request), answer);
        });
  }

  /** Flushes, or compacts some or all files, unless a flush or compaction is under way. */
  void compact() {
    if (isClosing() || server.disk().isFailing()) {
      return;
    }
    Chance chance = server.world().chance();
    store
        .beginCompaction(server.fences().collectableBelow(), chance, server.parts())
        .ifPresent(
            result ->
                // Writes made meanwhile are in none of its files; reads use the old ones.
                server.after(chance.nanosUpTo(LONGEST_COMPACTION), () -> endCompaction(result)));
  }

  private void endCompaction(Compaction.Result result) {
    if (store.endCompaction(result) && server.world().isTraced()) {
      server.say(() -> "COLLECTED region=" + log.region() + " " + result.summary());
    }
  }

  /** Checks first, like the hooks, that the keys lie here: a request may be older than a split. */
  private void requireHere(List<Bytes> keys) {
    if (!keys.stream().map(this::name).allMatch(log.span()::contains)) {
      throw Refused.because(Refusal.Code.WRONG_REGION, "row is not in region=" + log.region());
    }
  }

  TableRules rules() {
    return new TableRules(table(), server.parts().plan().level(), 0, 0);
  }

  /** Runs work that may refuse. */
  <T> void answering(Consumer<RegionAnswer<T>> answer, Runnable work) {
    try {
      work.run();
    } catch (Refused e) {
      server.say(() -> "REFUSES " + e.refusal());
      answer.accept(new RegionAnswer.Refusing<>(e.refusal()));
    }
  }

  /**
   * An admitted request that writes.
   *
   * @param patientUntilNanos when it is refused if no version can be drawn
   */
  private record Admitted<T>(
      RegionRequest request,
      Work<T> work,
      Consumer<RegionAnswer<T>> answer,
      long patientUntilNanos) {

    void refuse(Refusal refusal) {
      answer.accept(new RegionAnswer.Refusing<>(refusal));
    }

    void confirm() {
      answer.accept(new RegionAnswer.Done<>(work.confirm()));
    }
  }

  private <T> void carryOut(RegionRequest request, Work<T> work, Consumer<RegionAnswer<T>> answer) {
    if (isClosing()) {
      answer.accept(new RegionAnswer.NotServing<>());
      return;
    }
    underWay++;
    lockAndDecide(
        new Admitted<>(request, work, answer, server.world().nowNanos() + TICK_PATIENCE.toNanos()));
  }

  private void lockAndDecide(Admitted<?> admitted) {
    locks.lock(admitted.request().rows(), () -> next(() -> decide(admitted)));
  }

  private void decide(Admitted<?> admitted) {
    RegionRequest request = admitted.request();
    List<List<CellWrite>> writes;
    try {
      if (server.parts().heeds(Parts.InFlight.WRITERS_WAIT)) {
        request.rows().forEach(fast.inFlight()::awaitWriters);
      }
      writes =
          admitted.work().decide(request.rows().stream().map(key -> stored(request, key)).toList());
    } catch (Refused e) {
      end(admitted);
      server.say(() -> "REFUSES " + e.refusal());
      admitted.refuse(e.refusal());
      return;
    } catch (ExhaustedException e) {
      locks.unlock(request.rows());
      awaitTicks(admitted);
      return;
    } catch (IOException e) {
      throw new IllegalStateException("a simulated row can always be read", e);
    }
    List<RegionLog.RowWrite> changed = new ArrayList<>();
    for (int i = 0; i < writes.size(); i++) {
      if (!writes.get(i).isEmpty()) {
        changed.add(new RegionLog.RowWrite(name(request.rows().get(i)), writes.get(i)));
      }
    }
    if (changed.isEmpty()) {
      applied(admitted);
    } else {
      nextOfWrite(request, () -> append(admitted, changed));
    }
  }

  /** Returns a row as it is visible now. */
  StoredRow stored(RegionRequest request, Bytes key) {
    return server.parts().row(request, row(name(key)));
  }

  private void awaitTicks(Admitted<?> admitted) {
    server.hurryTicks();
    if (server.world().nowNanos() < admitted.patientUntilNanos()) {
      server.after(TICK_PAUSE, () -> lockAndDecide(admitted));
      return;
    }
    underWay--;
    closeIfIdle();
    admitted.refuse(Refusal.of(Refusal.Code.NOT_READY, "no version can be drawn"));
  }

  private void append(Admitted<?> admitted, List<RegionLog.RowWrite> writes) {
    // A version that was drawn counts at once: nothing may be read or decided past it.
    boolean counts =
        !server.disk().isFailing()
            || Timestamps.isCommittedAtBirth(writes.get(0).cells().get(0).version());
    Optional<RegionStore.Appended> appended = store.append(writes, counts, () -> applied(admitted));
    if (appended.isEmpty()) {
      // The log belongs to another server by now: this one aborts, and sends no more replies.
      server.say(() -> "FENCED OFF region=" + log.region());
      server.crash();
      return;
    }
    server.invariantChecker().written(server, writes);
    if (server.disk().isFailing()) {
      // The outcome is not known here, and the client hears nothing.
      for (RegionLog.RowWrite write : writes) {
        fast.inFlight().logging(Schema.key(write.row()), write.cells().get(0).version());
      }
      store.lose(appended.get());
      admitted.work().failed();
      end(admitted);
      return;
    }
    nextOfWrite(admitted.request(), () -> store.complete(appended.get()));
  }

  private <T> void applied(Admitted<T> admitted) {
    admitted.work().applied();
    end(admitted);
    next(() -> answering(admitted.answer(), admitted::confirm));
  }

  private void end(Admitted<?> admitted) {
    admitted.work().ended();
    locks.unlock(admitted.request().rows());
    underWay--;
    closeIfIdle();
  }
}
