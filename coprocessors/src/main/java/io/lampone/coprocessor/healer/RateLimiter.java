package io.lampone.coprocessor.healer;

import io.lampone.protocol.time.Clock;
import java.util.concurrent.TimeUnit;

/** Limiter of the work per second. Unused capacity is not carried over. Used by one thread. */
final class RateLimiter {

  private final Clock clock;
  private final double nanosEach;

  /** Time at which all work so far would have ended at the rate. */
  private double dueNanos;

  RateLimiter(Clock clock, int perSecond) {
    this.clock = clock;
    this.nanosEach = (double) TimeUnit.SECONDS.toNanos(1) / perSecond;
    this.dueNanos = clock.monotonicNanos();
  }

  /** Records an amount of work; returns the nanoseconds to wait before more. */
  long done(long amount) {
    double now = clock.monotonicNanos();
    dueNanos = Math.max(now, dueNanos) + amount * nanosEach;
    return Math.max(0, (long) (dueNanos - now));
  }
}
