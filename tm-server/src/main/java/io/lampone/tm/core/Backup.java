package io.lampone.tm.core;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.SuccessorRecord;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.ProofsFrom;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.RecordStore.Reading;
import io.lampone.tm.core.RecordStore.Swap;
import io.lampone.tm.core.oracle.Lease;
import io.lampone.tm.core.oracle.TimestampAllocator;
import io.lampone.tm.core.status.NodeMetrics;
import io.lampone.tm.core.transfer.LeadershipTransfer;
import io.lampone.tm.core.transfer.PrimaryState;
import io.lampone.tm.core.transfer.ReceivedState;
import io.lampone.tm.core.transfer.StandbyTables;
import io.lampone.tm.core.transfer.TransferName;
import io.lampone.tm.core.transfer.TransferSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the record and takes the epoch after its holder has given it back or has not renewed for
 * too long. Epoch, lease, address, first timestamp and floor are taken in one compare-and-set, so
 * that a node never leads without timestamps to issue.
 *
 * <p>A node that takes the epoch with empty tables raises the floor, so that no transaction that
 * began earlier is validated. Only the successor named in the record keeps the floor, and only with
 * everything sent under the hand-over that the record names. The primary wrote that name after it
 * had stopped deciding for good, so the successor knows every decision.
 */
public final class Backup implements NodeRole {

  /** Number of reads of the record in a lease duration. */
  private static final int POLLS_PER_LEASE = 10;

  /**
   * Delay of other backups behind the named successor in taking a released epoch, because they
   * would have to raise the floor. Costs time only if the successor has died meanwhile.
   */
  static final Duration HEAD_START = Duration.ofMillis(500);

  /**
   * Time for which complete tables are kept while the record does not name their hand-over. The
   * primary writes within {@link LeadershipTransfer#SEAL_PATIENCE}, has died, or cannot reach the
   * record. Dropping them too early raises the floor needlessly.
   */
  static final Duration RECEIVED_STATE_PATIENCE = Duration.ofSeconds(30);

  private static final Logger LOG = LoggerFactory.getLogger(Backup.class);

  private final ManagerNode node;
  private final ManagerSettings settings;
  private final RecordStore store;
  private final Clock clock;
  private final long pollIntervalNanos;
  private final RareLine line;

  private final RecordHistory history = new RecordHistory();

  /** The bound that an administrator has accepted; initially 0. */
  private long acceptedBound;

  /** Result of the last read. */
  private Reading seen = new Reading.Absent();

  /** Time of the read that first found {@link #seen}. */
  private long seenSinceNanos;

  /** Time of the next read. */
  private long nextPollNanos;

  /** True if an operation of the store is under way; there is at most one. */
  private boolean busy;

  /** True if that operation is the compare-and-set for the epoch: it then owns the tables. */
  private boolean taking;

  private final StandbyTables tables;

  Backup(ManagerNode node, ManagerSettings settings, RecordStore store, Clock clock) {
    this.node = node;
    this.settings = settings;
    this.store = store;
    this.clock = clock;
    this.pollIntervalNanos = settings.leaseDuration().toNanos() / POLLS_PER_LEASE;
    this.line = new RareLine(clock);
    this.nextPollNanos = clock.monotonicNanos();
    this.tables = new StandbyTables(settings, clock);
  }

  @Override
  public void tick() {
    if (tables.received().filter(sent -> sent.isCompleteFor(RECEIVED_STATE_PATIENCE)).isPresent()
        && !isHeir(seen)) {
      tables.forgetReceived();
    }
    if (busy || clock.monotonicNanos() - nextPollNanos < 0) {
      return;
    }
    busy = true;
    nextPollNanos = clock.monotonicNanos() + pollIntervalNanos;
    node.await(store.read(), this::onRead);
  }

  @Override
  public void receive(TransferSource from, Transfer part) {
    if (part instanceof Transfer.Offer offer) {
      accept(from, offer);
      return;
    }
    ReceivedState current =
        tables
            .received()
            .filter(offered -> offered.from() == from)
            .orElseThrow(() -> new MalformedException("part of a transfer without an offer"));
    if (part instanceof Transfer.Written) {
      // The next poll would find the epoch, but clients are waiting.
      nextPollNanos = clock.monotonicNanos();
      tick();
      return;
    }
    if (node.isDraining() && !current.isComplete()) {
      from.reply(new Transfer.Reply.Refused("this backup is drained"));
      return;
    }
    try {
      current.receive(part).ifPresent(from::reply);
    } catch (RuntimeException e) {
      tables.forgetReceived();
      throw e;
    }
  }

  /** Discards incomplete tables. */
  @Override
  public void left(TransferSource from) {
    if (tables.received().filter(sent -> sent.from() == from && !sent.isComplete()).isPresent()) {
      tables.forgetReceived();
    }
  }

  @Override
  public boolean keepsReceivedState() {
    return tables.received().isPresent();
  }

  @Override
  public NodeMetrics.Name name() {
    return NodeMetrics.Name.BACKUP;
  }

  @Override
  public Optional<ManagerRecord> record() {
    return seen instanceof Reading.Present present
        ? Optional.of(present.record())
        : Optional.empty();
  }

  @Override
  public void release() {
    node.retire(NodeListener.Retirement.RELEASED);
  }

  /** Returns true if this node would take the epoch from the record as it is. */
  @Override
  public boolean trustsRecord() {
    return complaint().isEmpty();
  }

  private Optional<String> complaint() {
    return history
        .complaint()
        .or(() -> history.last().flatMap(last -> node.trust().complaint(last, acceptedBound)));
  }

  /** Polls at once: a comparison may permit an epoch that it did not permit before. */
  @Override
  public void clockCompared() {
    nextPollNanos = clock.monotonicNanos();
    tick();
  }

  /** Accepts the record as last read; returns a description of it. */
  @Override
  public String acceptRecord() {
    if (seen instanceof Reading.Unreadable || seen instanceof Reading.OtherFormat) {
      throw new IllegalStateException(
          "not accepted, because the record cannot be read: delete its znode, then accept once"
              + " more that it is gone");
    }
    history.accept(seen);
    acceptedBound = history.last().map(ManagerRecord::bound).orElse(0L);
    String accepted = TamperAlarm.describe(seen);
    LOG.warn("an administrator accepts the record as it is, record=[{}]", accepted);
    return accepted;
  }

  private void accept(TransferSource from, Transfer.Offer offer) {
    if (node.isDraining()) {
      from.reply(new Transfer.Reply.Refused("this backup is drained"));
    } else if (node.trust().complaint().isPresent()) {
      from.reply(
          new Transfer.Reply.Refused("not taken over here: " + node.trust().complaint().get()));
    } else if (taking) {
      // These may be the tables with which this node is about to lead.
      from.reply(new Transfer.Reply.Refused("this backup is taking over"));
    } else if (tables.received().isPresent() && tables.received().get().epoch() > offer.epoch()) {
      from.reply(new Transfer.Reply.Refused("a later primary has sent its tables already"));
    } else if (!TransferName.mayMean(offer.id(), settings.holder())) {
      from.reply(
          new Transfer.Reply.Refused(
              "it is meant for another process that listened here, offered="
                  + offer.id()
                  + " holder="
                  + settings.holder()));
    } else {
      tables.accept(offer, from);
      from.reply(new Transfer.Reply.Received(0));
    }
  }

  private void onRead(Optional<Reading> answer) {
    busy = false;
    if (answer.isEmpty()) {
      return;
    }
    Reading reading = answer.get();
    long now = clock.monotonicNanos();
    if (!reading.equals(seen)) {
      seen = reading;
      seenSinceNanos = now;
      history.read(reading);
    }
    // A successor continues on the primary's timestamps, whatever its own clock.
    if (history.complaint().isPresent() || !(isHeir(reading) || trustsRecord())) {
      complaint().ifPresent(this::warn);
      return;
    }
    if (isOutdated(reading)) {
      tables.forgetReceived();
    }
    if (reading instanceof Reading.Absent && !node.isDraining() && believesClock()) {
      take(Optional.empty());
    } else if (reading instanceof Reading.Present present && mayTake(present.record(), now)) {
      take(Optional.of(present));
    }
  }

  private void warn(String complaint) {
    line.happened()
        .ifPresent(
            times ->
                LOG.error(
                    "the record in ZooKeeper is not believed, so this backup does not take over: {};"
                        + " a primary that lives writes it again. If none does and the record is"
                        + " right as it is: 'lampone tm accept-record {}', times={}",
                    complaint,
                    settings.address(),
                    times));
  }

  private boolean believesClock() {
    return node.trust().complaint().isEmpty();
  }

  private boolean mayTake(ManagerRecord record, long now) {
    // A backup has never answered a request: if the record names this process, the reply to its
    // compare-and-set was lost, and there is no lease to wait for.
    if (record.holder().equals(settings.holder()) || isHeir(record)) {
      return true;
    }
    if (node.isDraining() || !believesClock()) {
      return false;
    }
    if (record.released()) {
      return isNobodyElse(record) || now - seenSinceNanos >= HEAD_START.toNanos();
    }
    Duration theirs = Duration.ofMillis(record.leaseDurationMillis());
    return now - seenSinceNanos >= Lease.patience(theirs).toNanos();
  }

  private boolean isNobodyElse(ManagerRecord record) {
    return record
        .succession()
        .map(SuccessorRecord::successor)
        .map(settings.holder()::equals)
        .orElse(true);
  }

  /**
   * Returns true if this node knows every decision: the record names it and the hand-over that it
   * has received completely. This includes a record that names it as the holder already, because it
   * has answered no request since.
   */
  private boolean isHeir(ManagerRecord record) {
    Optional<SuccessorRecord> arranged = record.succession();
    return arranged.isPresent()
        && (record.released() || record.holder().equals(settings.holder()))
        && tables
            .received()
            .filter(ReceivedState::isComplete)
            .map(this::succession)
            .equals(arranged);
  }

  private boolean isHeir(Reading reading) {
    return reading instanceof Reading.Present present && isHeir(present.record());
  }

  /**
   * Returns true if the record will never name the hand-over: its epoch is later than that of the
   * primary that arranged the hand-over, and it does not name it already.
   */
  private boolean isOutdated(Reading reading) {
    return reading instanceof Reading.Present present
        && tables.received().filter(sent -> sent.epoch() < present.record().epoch()).isPresent()
        && !isHeir(present.record());
  }

  private SuccessorRecord succession(ReceivedState sent) {
    return new SuccessorRecord(settings.holder(), sent.id());
  }

  private void take(Optional<Reading.Present> old) {
    // This covers a missing record whose absence an administrator has accepted.
    Optional<ManagerRecord> last = history.last();
    Optional<ReceivedState> inherited =
        tables.received().filter(sent -> old.isPresent() && isHeir(old.get().record()));
    // Before the lease starts, so that a pending allocation does not use up lease time.
    PrimaryState primaryState = inherited.map(ReceivedState::primaryState).orElseGet(tables::empty);
    if (inherited.isEmpty() && last.isPresent()) {
      // The last primary's holds are lost; holders that are alive renew them within this time.
      primaryState.holds().pauseFor(settings.retention().longestHold());
    }
    long sentNanos = clock.monotonicNanos();
    long first = TimestampAllocator.firstAfter(last.map(ManagerRecord::bound).orElse(0L), clock);
    ManagerRecord record =
        new ManagerRecord(
            last.map(ManagerRecord::epoch).orElse(0L) + 1,
            settings.holder(),
            settings.address(),
            last.map(ManagerRecord::leaseSequence).orElse(0L) + 1,
            settings.leaseDuration().toMillis(),
            false,
            TimestampAllocator.boundAhead(first, settings.boundAhead()),
            // With empty tables, no transaction that began earlier may be validated.
            inherited.isPresent() ? old.orElseThrow().record().floor() : first,
            last.map(ManagerRecord::safePoint).orElse(0L),
            inherited.map(this::succession),
            Optional.of(proofsFrom(last, first)));
    busy = true;
    taking = true;
    CompletableFuture<Swap> swap =
        old.isPresent() ? store.compareAndSet(old.get().version(), record) : store.create(record);
    node.await(
        swap,
        result ->
            onSwap(
                result,
                version ->
                    new Epoch(
                        version, record, first, primaryState, inherited.isPresent(), sentNanos)));
  }

  /**
   * Returns the stated start of proofs if it is genuine. Otherwise (an older version or another
   * cluster key) states the first timestamp of this epoch: a region server that knows later
   * timestamps has read the statement in the same record.
   */
  private ProofsFrom proofsFrom(Optional<ManagerRecord> last, long first) {
    Proofs proofs = settings.proofs();
    return last.flatMap(ManagerRecord::proofsFrom)
        .filter(from -> proofs.verify(from) == Proofs.Verdict.VALID)
        .orElseGet(() -> proofs.proofsFrom(first));
  }

  private void onSwap(Optional<Swap> answer, LongFunction<Epoch> epoch) {
    busy = false;
    taking = false;
    if (answer.isPresent() && answer.get() instanceof Swap.Applied applied) {
      Epoch taken = epoch.apply(applied.version());
      node.lead(taken);
      tables
          .received()
          .filter(sent -> taken.inherited())
          .ifPresent(sent -> sent.from().reply(new Transfer.Reply.Leading(taken.record().epoch())));
      return;
    }
    // Lost to another node, or unknown: a read will show.
    nextPollNanos = clock.monotonicNanos();
  }
}
