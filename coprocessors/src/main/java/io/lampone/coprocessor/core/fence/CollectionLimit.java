package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.Clock;
import java.time.Duration;

/**
 * Limit on the published safe point for irreversible actions: collecting data, and ending undecided
 * transactions. In a period of at least a minute it rises by at most 1.1 times the monotonic time
 * plus a minute, so a safe point forged in ZooKeeper causes no loss of young data. Data older than
 * a day by this server's clock is not protected, so collection does not lag after a long stop.
 */
final class CollectionLimit {

  /** Allowance per period of the same length. */
  static final Duration SLACK = Duration.ofSeconds(60);

  /** Age by the wall clock beyond which data is not protected from a jump. */
  static final Duration YOUNG = Duration.ofDays(1);

  private static final int DRIFT_DIVISOR = 10;

  private final Clock clock;

  /** Current limit; only grows. Written under the lock. */
  private volatile long current;

  /** Base from which the limit is computed, with its start time; under the lock. */
  private long base;

  private long baseNanos;

  CollectionLimit(Clock clock) {
    this.clock = clock;
  }

  /** Returns the limit below which data may be collected; 0 while it is unknown. */
  long current() {
    return current;
  }

  /** Takes the safe point of a record that has passed the other checks. */
  synchronized void published(long safePoint) {
    if (safePoint <= current) {
      return;
    }
    long now = clock.monotonicNanos();
    if (current == 0) {
      // No earlier value to compare with: this server, or the cluster, has just started.
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
