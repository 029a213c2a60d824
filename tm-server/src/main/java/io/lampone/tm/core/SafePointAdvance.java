package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import io.lampone.tm.core.validation.TransactionManagerCore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Decides the advance of a primary's safe point: by age or on request, and never above a snapshot
 * that is held (protocol page, section 7). The decision is published with the next renewal of the
 * lease. Not thread-safe: a part of {@link Primary}.
 */
final class SafePointAdvance {

  private final TransactionManagerCore core;
  private final HoldTable holds;
  private final SnapshotAges ages;

  /** Callers that wait for the publication of a safe point. */
  private final List<Waiter> waiters = new ArrayList<>();

  private record Waiter(long safePoint, CompletableFuture<Long> published) {}

  SafePointAdvance(TransactionManagerCore core, HoldTable holds, Clock clock, Duration retention) {
    this.core = core;
    this.holds = holds;
    this.ages = new SnapshotAges(clock, retention);
  }

  /** Records that {@code lastTimestamp} has been issued by now. */
  void observe(long lastTimestamp) {
    ages.observe(lastTimestamp);
  }

  /**
   * Refuses undecided transactions below {@code timestamp}, or below the oldest snapshot held if
   * that is lower. Completes on publication, with the safe point in force; fails with an
   * IllegalStateException while there may be holds that this primary does not know.
   */
  CompletableFuture<Long> request(long timestamp) {
    Duration pause = holds.pause();
    if (!pause.isZero()) {
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              "the safe point stays: a transaction manager has died, and its holds may still be"
                  + " wanted; try again later, remainingMillis="
                  + pause.toMillis()));
    }
    core.decideSafePoint(belowHolds(timestamp));
    CompletableFuture<Long> published = new CompletableFuture<>();
    waiters.add(new Waiter(core.safePoint(), published));
    return published;
  }

  /** Raises the safe point to the newest timestamp older than the retention and not held. */
  void raiseByAge() {
    OptionalLong old = ages.oldEnough();
    if (old.isEmpty() || !holds.pause().isZero()) {
      return;
    }
    long wanted = belowHolds(old.getAsLong());
    if (wanted > core.safePoint()) {
      core.decideSafePoint(wanted);
    }
  }

  /** Reports that the record now contains this safe point. */
  void published(long safePoint) {
    List<Waiter> done = new ArrayList<>(waiters);
    done.removeIf(waiter -> waiter.safePoint() > safePoint);
    waiters.removeAll(done);
    done.forEach(waiter -> waiter.published().complete(safePoint));
  }

  /** Fails all requests whose safe point has not been published. */
  void fail(Exception why) {
    waiters.forEach(waiter -> waiter.published().completeExceptionally(why));
    waiters.clear();
  }

  private long belowHolds(long timestamp) {
    return Math.min(timestamp, holds.smallestHeld().orElse(Long.MAX_VALUE));
  }
}
