package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.Clock;
import java.time.Duration;

/**
 * Limit on the published safe point for what cannot be undone: collection, and the end of undecided
 * transactions. It rises no faster than 1.1 times the monotonic clock since it last rose, and a
 * minute: a safe point written by a third party causes no loss of young data. What is older than a
 * day by this server's own clock is not young, so that after a long stop collection does not lag
 * behind for days.
 */
final class CollectionLimit {

  /** Granted once in each period of the same length. */
  static final Duration SLACK = Duration.ofSeconds(60);

  /** By the wall clock: what is older is not protected from a jump. */
  static final Duration YOUNG = Duration.ofDays(1);

  private static final int DRIFT_DIVISOR = 10;

  private final Clock clock;

  /** Present limit; only grows. Written under the lock. */
  private volatile long current;

  /** Base that the limit is counted from, with the time of its start; under the lock. */
  private long base;

  private long baseNanos;

  CollectionLimit(Clock clock) {
    this.clock = clock;
  }

  /** Returns the limit below which data may be collected; 0 while nothing is known. */
  long current() {
    return current;
  }

  /** A record that is believed otherwise says this. */
  synchronized void published(long safePoint) {
    if (safePoint <= current) {
      return;
    }
    long now = clock.monotonicNanos();
    if (current == 0) {
      // Nothing to compare it with: this server has just started, or so has the cluster.
      rebase(safePoint, now);
      return;
    }
    long believed = Math.min(safePoint, limit(now));
    if (believed <= current) {
      return;
    }
    if (now - baseNanos >= SLACK.toNanos()) {
      rebase(believed, now);
    } else {
      current = believed;
    }
  }

  private void rebase(long believed, long now) {
    current = believed;
    base = believed;
    baseNanos = now;
  }

  private long limit(long now) {
    long elapsed = now - baseNanos;
    long byRate = base + elapsed + elapsed / DRIFT_DIVISOR + SLACK.toNanos();
    long old = Timestamps.ceilingOfMillis(Math.max(0, clock.wallMillis() - YOUNG.toMillis()));
    return Timestamps.tick(Math.max(byRate, old));
  }
}
