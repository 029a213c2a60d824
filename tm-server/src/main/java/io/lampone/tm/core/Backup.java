package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.tm.core.RecordStore.Reading;
import io.lampone.tm.core.RecordStore.Swap;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Watches the record and takes the epoch when its holder has given it back or has not renewed for
 * too long. Epoch, lease, address, first timestamp and floor are taken in one compare-and-set, so
 * that there is no state in which a node leads but has no timestamps to issue.
 */
final class Backup implements Role {

  /** The record is read this many times in a lease. */
  private static final int POLLS_PER_LEASE = 10;

  private final ManagerNode node;
  private final ManagerSettings settings;
  private final RecordStore store;
  private final Clock clock;
  private final long pollIntervalNanos;

  /** What the last read found. */
  private Reading seen = new Reading.Absent();

  /** When a read first found {@link #seen}. */
  private long seenSinceNanos;

  /** When the next read is due. */
  private long nextPollNanos;

  /** Whether an operation of the store is under way; there is never more than one. */
  private boolean busy;

  Backup(ManagerNode node, ManagerSettings settings, RecordStore store, Clock clock) {
    this.node = node;
    this.settings = settings;
    this.store = store;
    this.clock = clock;
    this.pollIntervalNanos = settings.leaseDuration().toNanos() / POLLS_PER_LEASE;
    this.nextPollNanos = clock.monotonicNanos();
  }

  @Override
  public void tick() {
    if (busy || clock.monotonicNanos() - nextPollNanos < 0) {
      return;
    }
    busy = true;
    nextPollNanos = clock.monotonicNanos() + pollIntervalNanos;
    node.await(store.read(), this::onRead);
  }

  @Override
  public BatchOutcome handle(RequestCursor requests, ReplyWriter replies) {
    return BatchOutcome.SILENT;
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
    }
    if (reading instanceof Reading.Absent) {
      take(Optional.empty());
    } else if (reading instanceof Reading.Present present && mayTake(present.record(), now)) {
      take(Optional.of(present));
    }
  }

  private boolean mayTake(ManagerRecord record, long now) {
    if (record.released()) {
      return true;
    }
    // A backup has never answered anybody: if the record names this very process, the reply to its
    // compare-and-set was lost, and there is nobody whose lease would have to run out.
    if (record.holder().equals(settings.holder())) {
      return true;
    }
    Duration theirs = Duration.ofMillis(record.leaseDurationMillis());
    return now - seenSinceNanos >= Lease.patience(theirs).toNanos();
  }

  private void take(Optional<Reading.Present> old) {
    long sentNanos = clock.monotonicNanos();
    long oldBound = old.map(present -> present.record().bound()).orElse(0L);
    long first = TimestampAllocator.firstAfter(oldBound, clock);
    ManagerRecord record =
        new ManagerRecord(
            old.map(present -> present.record().epoch()).orElse(0L) + 1,
            settings.holder(),
            settings.address(),
            old.map(present -> present.record().leaseSequence()).orElse(0L) + 1,
            settings.leaseDuration().toMillis(),
            false,
            TimestampAllocator.boundAhead(first, settings.boundAhead()),
            // The conflict table is empty: nobody who began before may be validated here.
            first,
            old.map(present -> present.record().safePoint()).orElse(0L));
    busy = true;
    CompletableFuture<Swap> swap =
        old.isPresent() ? store.compareAndSet(old.get().version(), record) : store.create(record);
    node.await(swap, result -> onSwap(result, record, first, sentNanos));
  }

  private void onSwap(Optional<Swap> answer, ManagerRecord record, long first, long sentNanos) {
    busy = false;
    if (answer.isPresent() && answer.get() instanceof Swap.Applied applied) {
      node.lead(new Tenure(applied.version(), record, first, sentNanos));
      return;
    }
    // Lost to somebody else, or nobody knows: only reading tells.
    nextPollNanos = clock.monotonicNanos();
  }
}
