package io.lampone.simulation.client;

import io.lampone.checker.Outcome;
import io.lampone.checker.format.HistoryWriter;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.core.CommitOutcome;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.simulation.hbase.Layout;
import io.lampone.simulation.invariant.NoUnforeseenFailure;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Focus;
import io.lampone.simulation.world.FutureFailures;
import io.lampone.simulation.world.Schema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One regular transaction of random steps. */
final class Script {

  private static final Duration TIMEOUT = Duration.ofSeconds(4);
  private static final int MAX_STEPS = 6;
  private static final int ONE_ROLLED_BACK_IN = 12;
  private static final int ONE_READ_ONLY_IN = 4;
  private static final int ONE_IN_ONE_REGION_IN = 3;
  private static final int ONE_REWRITES_IN = 5;
  private static final int RARER_BESIDE_ONLOOKERS = 3;
  private static final int ONE_HOLDS_IN = 4;
  private static final Duration LONGEST_SULK = Duration.ofMillis(300);
  private static final Duration HOLD = Duration.ofMillis(290);

  /** Maximum age of a snapshot at hand, on any clock. */
  private static final Duration SNAPSHOT_AGE = Duration.ofSeconds(2);

  /** No honest clock runs faster than the other way round. */
  private static final double HONEST_CLOCK = 0.95;

  private final SimulatedClient client;
  private final Runnable ended;
  private final Chance chance;
  private final List<Bytes> rows;
  private long invokedNanos;
  private int process;
  private final TransactionMode mode;

  /** Writes the same columns again and again, and sends them each time. */
  private final boolean rewrites;

  private final WritePlan writePlan = new WritePlan();
  private int stepsLeft;

  /** True if the end has been written down. */
  private boolean over;

  private @Nullable OpenTransaction open;
  private @Nullable TransactionSteps steps;

  Script(SimulatedClient client, Runnable ended) {
    this.client = client;
    this.ended = ended;
    this.chance = client.world().chance();
    this.invokedNanos = client.world().nowNanos();
    this.process = client.process();
    // With onlookers the other clients write several rows, so that they can be met.
    boolean validated = isMetByOnlookers() || client.plan().focus() == Focus.STRADDLERS;
    int rarer = validated ? RARER_BESIDE_ONLOOKERS : 1;
    boolean readOnly = client.isOnlooker() || chance.oneIn(ONE_READ_ONLY_IN * rarer);
    boolean inOneRegion = chance.oneIn(ONE_IN_ONE_REGION_IN * rarer);
    this.rewrites = chance.oneIn(ONE_REWRITES_IN * rarer);
    List<Bytes> all = Schema.rows(client.plan().rows());
    Layout layout = client.core().calls().layout();
    int region = layout.regionOf(chance.pick(all));
    this.rows =
        client.isOnlooker()
            ? List.of(client.lookedAt())
            : inOneRegion ? all.stream().filter(r -> layout.regionOf(r) == region).toList() : all;
    int most = client.isOnlooker() ? 2 : rewrites ? 2 * MAX_STEPS : MAX_STEPS;
    this.stepsLeft = chance.between(1, most);
    int share = client.plan().serializable();
    boolean serializable = !readOnly && share > 0 && chance.between(1, 100) <= share;
    this.mode = new TransactionMode(readOnly, true, inOneRegion, serializable);
  }

  void start() {
    Optional<Begin> atHand = client.takeAtHand();
    if (atHand.isPresent()) {
      // Not ordered in real time: for the judge it began when its snapshot may have been issued.
      process = client.recorder().sibling(process);
      invokedNanos = Math.max(0, invokedNanos - SNAPSHOT_AGE.toNanos());
      begun(atHand.get());
      return;
    }
    client
        .core()
        .manager()
        .begin()
        .whenComplete(
            (begin, failure) -> {
              if (failure != null) {
                NoUnforeseenFailure.require(client.world(), failure);
                record(Outcome.FAILED, 0, 0, "no-begin");
                ended.run();
              } else {
                begun(begin);
              }
            });
  }

  private void begun(Begin begin) {
    client.say(
        () ->
            "BEGUN start="
                + begin.startTimestamp()
                + (mode.readOnly() ? " read-only" : "")
                + (mode.serializable() ? " serializable" : ""));
    if (mode.serializable()) {
      client.invariantChecker().serializable(begin.startTimestamp());
    }
    OpenTransaction begun = client.open(begin, mode, TIMEOUT);
    open = begun;
    steps = new TransactionSteps(client, begun, mode, rows, rewrites, writePlan);
    if (chance.oneIn(ONE_HOLDS_IN)) {
      hold(begin.startTimestamp());
    }
    think();
  }

  /** Places a hold on its snapshot, as the client library does for long transactions. */
  private void hold(long snapshot) {
    long nanos = (long) (HOLD.toNanos() * HONEST_CLOCK);
    client.askPrimary(
        primary ->
            primary.hold(
                "script" + snapshot,
                snapshot,
                HOLD,
                () -> client.invariantChecker().held(snapshot, nanos)));
  }

  private void think() {
    client.after(chance.nanosUpTo(client.plan().pace()), this::step);
  }

  private OpenTransaction open() {
    return Objects.requireNonNull(open);
  }

  private void step() {
    if (open().outcome().isPresent()) {
      ended(open().outcome().get());
      return;
    }
    if (stepsLeft-- == 0) {
      finish();
      return;
    }
    CompletableFuture<?> done;
    try {
      done = Objects.requireNonNull(steps).take(stepsLeft);
    } catch (RuntimeException e) {
      done = CompletableFuture.failedFuture(e);
    }
    var unused =
        done.whenComplete(
            (value, failure) -> {
              if (failure == null) {
                think();
              } else {
                giveUp(failure);
              }
            });
    assert unused != null;
  }

  private void finish() {
    if (chance.oneIn(ONE_ROLLED_BACK_IN)) {
      client.say(() -> "ROLLS BACK start=" + open().startTimestamp());
      rollback();
      ended(open().outcome().orElseThrow());
      return;
    }
    client.invariantChecker().intends(open().startTimestamp(), writePlan.writes());
    client.say(
        () ->
            "COMMITS start=" + open().startTimestamp() + " writes=" + writePlan.writes().keySet());
    client.core().driver().start(open().commit()).thenAccept(this::ended);
  }

  /**
   * Returns true if clients of the new time are meant to meet this one, if it is of the old time.
   */
  private boolean isMetByOnlookers() {
    return client.plan().focus() == Focus.SUPERSEDED;
  }

  private void giveUp(Throwable failure) {
    client.say(
        () ->
            "GIVES UP start=" + open().startTimestamp() + " why=" + FutureFailures.unwrap(failure));
    NoUnforeseenFailure.require(client.world(), failure);
    if (FutureFailures.unwrap(failure) instanceof StoreRefusedException refused) {
      refused(refused.refusal());
    }
    rollback();
    ended(open().outcome().orElseThrow());
  }

  private void refused(Refusal refusal) {
    if (refusal.code() == Refusal.Code.BELOW_SAFE_POINT) {
      client.invariantChecker().unreadable(open().startTimestamp());
    }
  }

  private void rollback() {
    var unawaited = client.core().driver().start(open().rollback());
    assert unawaited != null;
  }

  private void ended(CommitOutcome outcome) {
    long start = open().startTimestamp();
    client.say(() -> "ENDED start=" + start + " outcome=" + outcome);
    if (outcome instanceof CommitOutcome.Committed committed) {
      // Every transaction that has written reports its commit timestamp.
      if (committed.commitTimestamp() != 0 || !writePlan.writes().isEmpty()) {
        client.invariantChecker().acknowledged(start, committed.commitTimestamp());
      }
      record(Outcome.OK, start, committed.commitTimestamp(), "");
    } else if (outcome instanceof CommitOutcome.Unknown unknown) {
      if (unknown.cause() != null) {
        NoUnforeseenFailure.require(client.world(), unknown.cause());
      }
      record(Outcome.UNKNOWN, start, 0, unknown.why());
      client.becomeAnother();
      ask(unknown);
      return;
    } else {
      if (outcome instanceof CommitOutcome.Refused refused) {
        NoUnforeseenFailure.require(client.world(), refused.refusal());
        refused(refused.refusal());
      }
      client.invariantChecker().denied(start);
      record(Outcome.FAILED, start, 0, outcome.getClass().getSimpleName());
      if (isMetByOnlookers() && !mode.readOnly()) {
        // While servers have read the newer record it would fail again: wait until they have not.
        client.after(chance.nanosUpTo(LONGEST_SULK), ended);
        return;
      }
    }
    ended.run();
  }

  /** Looks up an unknown outcome by id. */
  private void ask(CommitOutcome.Unknown unknown) {
    client
        .core()
        .driver()
        .start(
            client
                .core()
                .status()
                .ask(
                    unknown.id(),
                    client.core().session().floor(),
                    open().grant(),
                    client.clock().monotonicNanos() + TIMEOUT.toNanos()))
        .whenComplete(
            (found, failure) -> {
              client.say(() -> "ASKED FOR " + unknown.id().startTimestamp() + " found=" + found);
              if (failure != null) {
                NoUnforeseenFailure.require(client.world(), failure);
              }
              long start = unknown.id().startTimestamp();
              if (found instanceof TransactionOutcome.Committed committed) {
                client.invariantChecker().acknowledged(start, committed.commitTimestamp());
              } else if (found instanceof TransactionOutcome.Aborted) {
                client.invariantChecker().denied(start);
              }
              ended.run();
            });
  }

  private void record(Outcome outcome, long start, long commit, String why) {
    over = true;
    client
        .recorder()
        .add(
            new HistoryRecorder.HistoryProcess(
                process, invokedNanos, mode.serializable(), writePlan.scans()),
            outcome,
            new ArrayList<>(writePlan.operations()),
            OperationId.ofTransaction(start),
            start,
            commit,
            why);
  }

  /** Records that the client died: the end stays unknown. */
  void lastWords() {
    if (!over) {
      record(Outcome.UNKNOWN, open == null ? 0 : open.startTimestamp(), 0, HistoryWriter.NO_END);
    }
  }
}
