package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.tm.core.NodeListener.Retirement;
import io.lampone.tm.core.RecordStore.Reading;
import io.lampone.tm.core.oracle.EpochVerification;
import io.lampone.tm.core.oracle.Lease;
import io.lampone.tm.core.oracle.TimestampAllocator;
import io.lampone.tm.core.status.DebugDump;
import io.lampone.tm.core.status.NodeMetrics;
import io.lampone.tm.core.status.NodeStatus;
import io.lampone.tm.core.status.PrimaryStatus;
import io.lampone.tm.core.transfer.LeadershipTransfer;
import io.lampone.tm.core.transfer.LeadershipTransfers;
import io.lampone.tm.core.transfer.PrimaryState;
import io.lampone.tm.core.transfer.TransferFailedException;
import io.lampone.tm.core.transfer.TransferLink;
import io.lampone.tm.core.transfer.TransferResult;
import io.lampone.tm.core.validation.BatchOutcome;
import io.lampone.tm.core.validation.BucketOwners;
import io.lampone.tm.core.validation.TransactionManagerCore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Holds the epoch: answers while it can prove its lease, and renews lease and bound together, off
 * the request path.
 *
 * <p>Runs one operation of the store at a time. Whenever one ends, and at each tick, {@link
 * #proceed} performs what is due; a write of unknown outcome is always followed by a read.
 */
final class Primary implements NodeRole {

  private static final String HANDING_OVER = "handing over; ask the next primary";

  private final ManagerNode node;
  private final ManagerSettings settings;
  private final RecordStore store;
  private final Clock clock;
  private final Lease lease;
  private final TimestampAllocator timestamps;
  private final TransactionManagerCore core;
  private final PrimaryState primaryState;
  private final SafePointAdvance safePoints;
  private final PrimaryStatus status;
  private final LeadershipTransfers handOvers;
  private final long firstTimestamp;
  private final OwnRecord own;
  private final TamperAlarm alarm;
  private final EpochVerification epochVerification;

  /** Time at which the last renewal was sent, acknowledged or not. */
  private long renewalSentNanos;

  /** True if an operation of the store is under way. */
  private boolean busy;

  /** True if a renewal is due early. */
  private boolean hurry;

  /** True if this node is giving back the lease: it no longer answers. */
  private boolean releasing;

  Primary(
      ManagerNode node,
      ManagerSettings settings,
      RecordStore store,
      Clock clock,
      TamperAlarm alarm,
      Epoch epoch) {
    this.node = node;
    this.settings = settings;
    this.store = store;
    this.clock = clock;
    this.own = new OwnRecord(store, epoch.version(), epoch.record());
    this.alarm = alarm;
    this.renewalSentNanos = epoch.sentNanos();
    this.epochVerification = new EpochVerification(clock);
    this.lease = new Lease(clock, settings.leaseDuration(), epoch.sentNanos());
    this.timestamps = epoch.timestamps(clock, settings.boundAhead());
    this.primaryState = epoch.primaryState();
    this.firstTimestamp = epoch.firstTimestamp();
    this.core = epoch.core(timestamps, settings.proofs());
    this.safePoints =
        new SafePointAdvance(core, primaryState.holds(), clock, settings.retention().snapshots());
    this.status = new PrimaryStatus(settings, lease, timestamps, core, primaryState);
    this.handOvers = new LeadershipTransfers(settings, clock, primaryState);
  }

  @Override
  public void tick() {
    if (timestamps.last() >= firstTimestamp) {
      safePoints.observe(timestamps.last());
    }
    handOvers.last().ifPresent(LeadershipTransfer::tick);
    proceed();
  }

  /** Computes the answers, then checks the lease, then releases them (protocol page, section 7). */
  @Override
  public BatchOutcome handle(RequestCursor requests, ReplyWriter replies) {
    if (isSilent()) {
      return BatchOutcome.SILENT;
    }
    BatchOutcome outcome = core.handle(requests, replies);
    return lease.isHeld() ? outcome : BatchOutcome.SILENT;
  }

  @Override
  public NodeMetrics.Name name() {
    return NodeMetrics.Name.PRIMARY;
  }

  /** Keeping requests for a hand-over that may fail does not end the lease. */
  @Override
  public NodeMetrics metrics(long storeSilentNanos, boolean draining, String clockComplaint) {
    boolean over = releasing || handOvers.isBeyondReturn();
    boolean trusted = !alarm.isRaised();
    return status.metrics(own.record().epoch(), over, storeSilentNanos, trusted, clockComplaint);
  }

  @Override
  public Optional<ManagerRecord> record() {
    return Optional.of(own.record());
  }

  @Override
  public Optional<ManagerRecord> leading() {
    return holdsLease() ? record() : Optional.empty();
  }

  @Override
  public <T> T asPrimary(Function<Primary, T> action) {
    if (holdsLease()) {
      T result = action.apply(this);
      if (holdsLease()) {
        return result;
      }
    }
    return NodeRole.super.asPrimary(action);
  }

  private boolean holdsLease() {
    return !isSilent() && lease.isHeld();
  }

  private boolean isSilent() {
    return releasing || handOvers.isSealed() || own.isUnproved();
  }

  @Override
  public CompletableFuture<Void> verifyEpoch() {
    if (handOvers.isSealed()) {
      return CompletableFuture.failedFuture(new IllegalStateException(HANDING_OVER));
    }
    CompletableFuture<Void> verified = epochVerification.raise();
    proceed();
    return verified;
  }

  @Override
  public CompletableFuture<Long> advanceSafePoint(long timestamp) {
    if (handOvers.isSealed()) {
      return CompletableFuture.failedFuture(new IllegalStateException(HANDING_OVER));
    }
    CompletableFuture<Long> published = safePoints.request(timestamp);
    hurry = true;
    proceed();
    return published;
  }

  @Override
  public String acceptRecord() {
    return own.accept();
  }

  /** Stops answering at once. */
  @Override
  public void release() {
    if (handOvers.isBeyondReturn()) {
      return; // The successor leads, or that is unknown: the hand-over ends by itself.
    }
    releasing = true;
    handOvers.last().ifPresent(given -> given.abandon("this transaction manager stops"));
    proceed();
  }

  @Override
  public CompletableFuture<TransferResult> handOver(
      String successor, String address, TransferLink.Connector connector) {
    if (releasing || handOvers.isUnderWay()) {
      return CompletableFuture.failedFuture(
          new TransferFailedException(
              "already handing over or stopping; wait for it to end", false));
    }
    return handOvers.begin(new Giver(), successor, address, own.record().epoch(), connector);
  }

  HoldTable holds() {
    return primaryState.holds();
  }

  /** Returns the oracle and the validator of this epoch. */
  TransactionManagerCore core() {
    return core;
  }

  /** Returns the owners of buckets, for changes at timestamps drawn from {@link #core}. */
  BucketOwners buckets() {
    return primaryState.buckets();
  }

  DebugDump inspect(long startTimestamp) {
    return status.inspect(startTimestamp, own.record().floor());
  }

  @Override
  public Optional<NodeStatus.Tables> tables() {
    return Optional.of(status.tables(handOvers.isUnderWay()));
  }

  @Override
  public void abandon() {
    IllegalStateException gone = new IllegalStateException("no longer the primary");
    epochVerification.fail(epochVerification.raised(), gone);
    safePoints.fail(gone);
    handOvers
        .last()
        .ifPresent(given -> given.abandon("another one has taken over, or this one has stopped"));
  }

  private void proceed() {
    Optional<LeadershipTransfer> given = handOvers.last();
    if (busy || given.filter(LeadershipTransfer::isWritten).isPresent()) {
      return;
    }
    if (own.isInDoubt()) {
      reread();
    } else if (given.filter(LeadershipTransfer::wantsWrite).isPresent()) {
      writeSuccession(given.get());
    } else if (handOvers.isWriting()) {
      renew(); // Apparently not applied; on top of this renewal it never will be.
    } else if (releasing) {
      giveBack();
    } else if (handOvers.isSealed()) {
      return; // Clients wait for the hand-over, which needs no operation of the store now.
    } else if (hurry || renewalIsDue() || timestamps.needsExtension()) {
      renew();
    } else {
      // Last, so that invented timestamps cannot delay anything else.
      given.ifPresent(LeadershipTransfer::pump);
      if (!handOvers.isSealed() && epochVerification.wantRead()) {
        reread();
      }
    }
  }

  private void writeSuccession(LeadershipTransfer given) {
    given.writing();
    ManagerRecord next =
        own.next("", true, timestamps.bound(), core.safePoint(), Optional.of(given.succession()));
    write(next, given::written);
  }

  private boolean renewalIsDue() {
    return clock.monotonicNanos() - renewalSentNanos >= settings.renewInterval().toNanos();
  }

  private void renew() {
    hurry = false;
    safePoints.raiseByAge();
    long sentNanos = clock.monotonicNanos();
    renewalSentNanos = sentNanos;
    ManagerRecord next =
        own.next(
            settings.address(),
            false,
            timestamps.wantedBound(),
            core.safePoint(),
            Optional.empty());
    List<CompletableFuture<Void>> asked = epochVerification.raised();
    write(next, () -> onRenewed(next, sentNanos, asked));
  }

  /** Completes what was {@code asked} before the renewal was sent: the epoch had not moved. */
  private void onRenewed(
      ManagerRecord renewed, long sentNanos, List<CompletableFuture<Void>> asked) {
    epochVerification.dispel(asked);
    lease.renewedAt(sentNanos);
    timestamps.extendTo(renewed.bound());
    safePoints.published(renewed.safePoint());
    handOvers.neverWritten();
    proceed();
  }

  private void giveBack() {
    ManagerRecord next = own.next("", true, timestamps.bound(), core.safePoint(), Optional.empty());
    busy = true;
    // Applied or not: if not, a backup waits for the end of the lease.
    node.await(own.write(next), ignored -> node.retire(Retirement.RELEASED));
  }

  private void write(ManagerRecord next, Runnable applied) {
    busy = true;
    node.await(
        own.write(next),
        answer -> {
          busy = false;
          if (own.answered(next, answer)) {
            applied.run();
          } else if (answer.isPresent()) {
            proceed();
          }
        });
  }

  private void reread() {
    List<CompletableFuture<Void>> asked = epochVerification.raised();
    epochVerification.readSent();
    busy = true;
    node.await(store.read(), answer -> onReread(answer, asked));
  }

  private void onReread(Optional<Reading> answer, List<CompletableFuture<Void>> asked) {
    busy = false;
    boolean wasInDoubt = own.isInDoubt();
    switch (own.judge(answer, lease.isHeld() && !handOvers.isWriting())) {
      case OWN -> {
        // Lease and bound do not advance: that requires an acknowledged write.
        hurry |= wasInDoubt;
        epochVerification.dispel(asked);
        if (own.record().released()) {
          handOvers.arranged(own.record()).ifPresent(LeadershipTransfer::written);
        }
        proceed();
      }
      case FOREIGN -> {
        // Callers that verify the epoch keep waiting: the renewal that follows will decide.
        alarm.overwrites(own.record(), answer.get());
        hurry = true;
        proceed();
      }
      case LATER_EPOCH -> {
        Optional<LeadershipTransfer> given =
            handOvers.inherited(((Reading.Present) answer.get()).record(), own.record().floor());
        if (given.isPresent()) {
          given.get().taken();
          return;
        }
        node.retire(Retirement.SUPERSEDED);
        epochVerification.fail(asked, new IllegalStateException("the epoch has moved"));
      }
      case UNPROVED -> {
        answer.ifPresent(found -> alarm.leaves(own.record(), found));
        // Clients need not wait for the hand-over: this primary is silent.
        answer.ifPresent(found -> handOvers.neverWritten());
        epochVerification.fail(asked, new IllegalStateException("the record could not be read"));
        if (releasing) {
          node.retire(Retirement.RELEASED);
        }
      }
    }
  }

  /** Effects of a hand-over on this primary. */
  private final class Giver implements LeadershipTransfer.Owner {

    @Override
    public boolean maySeal() {
      return !busy && !own.isInDoubt() && !releasing && lease.isHeld();
    }

    @Override
    public void sealed() {
      node.listener().sealed();
    }

    @Override
    public void unsealed() {
      node.listener().unsealed();
    }

    @Override
    public void proceed() {
      Primary.this.proceed();
    }

    @Override
    public void done() {
      node.handedOver(handOvers.last().orElseThrow().successorAddress());
    }
  }
}
