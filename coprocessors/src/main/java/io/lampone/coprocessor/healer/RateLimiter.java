package io.lampone.coprocessor.healer;

import io.lampone.protocol.time.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Limiter of the work done in a second. Capacity left unused is not made up for. One thread uses
 * it.
 */
final class RateLimiter {

  private final Clock clock;
  private final double nanosEach;

  /** When all that has been done would have been done at the rate. */
  private double dueNanos;

  RateLimiter(Clock clock, int perSecond) {
    this.clock = clock;
    this.nanosEach = (double) TimeUnit.SECONDS.toNanos(1) / perSecond;
    this.dueNanos = clock.monotonicNanos();
  }

  /** So much has been done; how long to wait before more is. */
  long done(long amount) {
    double now = clock.monotonicNanos();
    dueNanos = Math.max(now, dueNanos) + amount * nanosEach;
    return Math.max(0, (long) (dueNanos - now));
  }
}
