package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.tm.core.NodeListener.Retirement;
import io.lampone.tm.core.RecordStore.Reading;
import io.lampone.tm.core.RecordStore.Swap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * Holds the epoch: answers while it can prove its lease, and renews lease and bound together, off
 * the request path.
 *
 * <p>One operation of the store at a time. Whenever one ends, and with each tick, {@link #proceed}
 * looks for what is due; a write whose outcome is unknown is always followed by a read.
 */
final class Primary implements Role {

  private final ManagerNode node;
  private final ManagerSettings settings;
  private final RecordStore store;
  private final Clock clock;
  private final Lease lease;
  private final TimestampAllocator timestamps;
  private final TransactionManagerCore core;

  /** The record as this node knows it, and its version. */
  private Reading.Present known;

  /** When the last renewal was sent, acknowledged or not. */
  private long renewalSentNanos;

  /** Whether an operation of the store is under way. */
  private boolean busy;

  /** Whether the outcome of a write is unknown. */
  private boolean inDoubt;

  /** Whether a renewal is due before its time. */
  private boolean hurry;

  /** Those who wait for a read that is sent after they asked. */
  private List<CompletableFuture<Void>> verifiers = new ArrayList<>();

  /** Those who wait for a safe point to be published. */
  private final List<SafePointWaiter> safePointWaiters = new ArrayList<>();

  /** Whether this node is giving the lease back: it answers nobody any more. */
  private boolean releasing;

  private record SafePointWaiter(long safePoint, CompletableFuture<Long> published) {}

  Primary(
      ManagerNode node, ManagerSettings settings, RecordStore store, Clock clock, Tenure tenure) {
    this.node = node;
    this.settings = settings;
    this.store = store;
    this.clock = clock;
    ManagerRecord record = tenure.record();
    this.known = new Reading.Present(tenure.version(), record);
    this.renewalSentNanos = tenure.sentNanos();
    this.lease = new Lease(clock, settings.leaseDuration(), tenure.sentNanos());
    this.timestamps =
        new TimestampAllocator(
            clock, tenure.firstTimestamp(), record.bound(), settings.boundAhead());
    this.core =
        new TransactionManagerCore(
            timestamps,
            new ConflictTable(settings.conflictCapacity()),
            new DecisionMemory(settings.decisionCapacity()),
            record.floor(),
            record.safePoint());
  }

  @Override
  public void tick() {
    proceed();
  }

  /** Computes, then checks the lease, then lets the answer go (protocol page, section 6). */
  @Override
  public BatchOutcome handle(RequestCursor requests, ReplyWriter replies) {
    if (releasing) {
      return BatchOutcome.SILENT;
    }
    BatchOutcome outcome = core.handle(requests, replies);
    return lease.isHeld() ? outcome : BatchOutcome.SILENT;
  }

  NodeStatus status(long storeSilentNanos) {
    long remainingNanos = releasing ? -1 : lease.remainingNanos();
    return core.status(known.record().epoch(), remainingNanos, storeSilentNanos);
  }

  /** The record as this node knows it. */
  ManagerRecord record() {
    return known.record();
  }

  /** Whether this node may answer now. */
  boolean holdsLease() {
    return !releasing && lease.isHeld();
  }

  /** Completes when a read sent after this call has shown that the epoch has not moved. */
  CompletableFuture<Void> verifyEpoch() {
    CompletableFuture<Void> verified = new CompletableFuture<>();
    verifiers.add(verified);
    proceed();
    return verified;
  }

  /**
   * Refuses undecided transactions below {@code timestamp}, then publishes it; completes with the
   * safe point that is in force.
   */
  CompletableFuture<Long> advanceSafePoint(long timestamp) {
    core.decideSafePoint(timestamp);
    CompletableFuture<Long> published = new CompletableFuture<>();
    safePointWaiters.add(new SafePointWaiter(timestamp, published));
    hurry = true;
    proceed();
    return published;
  }

  /** Falls silent at once and gives the lease back. */
  void release() {
    releasing = true;
    proceed();
  }

  /** Fails everybody who still waits for something. */
  void abandon() {
    IllegalStateException gone = new IllegalStateException("no longer the primary");
    verifiers.forEach(verifier -> verifier.completeExceptionally(gone));
    verifiers.clear();
    safePointWaiters.forEach(waiter -> waiter.published().completeExceptionally(gone));
    safePointWaiters.clear();
  }

  private void proceed() {
    if (busy) {
      return;
    }
    if (inDoubt || !verifiers.isEmpty()) {
      reread();
    } else if (releasing) {
      giveBack();
    } else if (hurry || renewalIsDue() || timestamps.needsExtension()) {
      renew();
    }
  }

  private boolean renewalIsDue() {
    long since = clock.monotonicNanos() - renewalSentNanos;
    return since >= settings.renewInterval().toNanos();
  }

  private void renew() {
    hurry = false;
    long sentNanos = clock.monotonicNanos();
    renewalSentNanos = sentNanos;
    // The bound may lie higher in the record than this node dares to use: a write whose reply was
    // lost. It never goes back.
    long bound = Math.max(known.record().bound(), timestamps.wantedBound());
    ManagerRecord next = successor(settings.address(), false, bound);
    write(next, version -> onRenewed(new Reading.Present(version, next), sentNanos));
  }

  private void onRenewed(Reading.Present renewed, long sentNanos) {
    known = renewed;
    lease.renewedAt(sentNanos);
    timestamps.extendTo(renewed.record().bound());
    long safePoint = renewed.record().safePoint();
    List<SafePointWaiter> done = new ArrayList<>(safePointWaiters);
    done.removeIf(waiter -> waiter.safePoint() > safePoint);
    safePointWaiters.removeAll(done);
    done.forEach(waiter -> waiter.published().complete(safePoint));
    proceed();
  }

  private void giveBack() {
    ManagerRecord next = successor("", true, known.record().bound());
    busy = true;
    // Whether it worked or not: if not, a backup waits for the lease to run out.
    node.await(
        store.compareAndSet(known.version(), next), ignored -> node.retire(Retirement.RELEASED));
  }

  private ManagerRecord successor(String address, boolean released, long bound) {
    ManagerRecord old = known.record();
    return new ManagerRecord(
        old.epoch(),
        old.holder(),
        address,
        old.leaseSequence() + 1,
        old.leaseDurationMillis(),
        released,
        bound,
        old.floor(),
        Math.max(old.safePoint(), core.safePoint()));
  }

  private void write(ManagerRecord next, LongConsumer applied) {
    busy = true;
    node.await(
        store.compareAndSet(known.version(), next),
        answer -> {
          busy = false;
          if (answer.isPresent() && answer.get() instanceof Swap.Applied swap) {
            applied.accept(swap.version());
          } else {
            inDoubt = true;
            if (answer.isPresent()) {
              proceed();
            }
          }
        });
  }

  private void reread() {
    List<CompletableFuture<Void>> asked = verifiers;
    verifiers = new ArrayList<>();
    busy = true;
    node.await(store.read(), answer -> onReread(answer, asked));
  }

  private void onReread(Optional<Reading> answer, List<CompletableFuture<Void>> asked) {
    busy = false;
    if (answer.isEmpty()) {
      inDoubt = true;
      IllegalStateException unread = new IllegalStateException("the record could not be read");
      asked.forEach(verifier -> verifier.completeExceptionally(unread));
      if (releasing) {
        node.retire(Retirement.RELEASED);
      }
      return;
    }
    if (answer.get() instanceof Reading.Present present && isMine(present.record())) {
      // Adopts the version, but neither lease nor bound: those follow from acknowledged writes
      // only.
      hurry |= inDoubt;
      inDoubt = false;
      known = present;
      asked.forEach(verifier -> verifier.complete(null));
      proceed();
      return;
    }
    node.retire(Retirement.SUPERSEDED);
    IllegalStateException superseded = new IllegalStateException("the epoch has moved");
    asked.forEach(verifier -> verifier.completeExceptionally(superseded));
  }

  private boolean isMine(ManagerRecord record) {
    return record.epoch() == known.record().epoch()
        && record.holder().equals(settings.holder())
        && !record.released();
  }
}
