package io.lampone.tm.core.oracle;

import io.lampone.protocol.time.Clock;
import java.time.Duration;

/**
 * The time-bounded right to answer, on the monotonic clock (protocol page, section 7).
 *
 * <p>It runs from the moment when the last acknowledged renewal was <em>sent</em>. The record can
 * only have changed later. So a backup that waits for {@link #patience} after it has seen the
 * change waits longer than the holder answers, as long as the rates of the two clocks differ by
 * less than both margins together.
 */
public final class Lease {

  /** Divisor of the duration that gives the margin on either side. */
  private static final int MARGIN_DIVISOR = 10;

  private final Clock clock;
  private final long usableNanos;

  /** Time at which the last acknowledged renewal was sent. */
  private long sentNanos;

  public Lease(Clock clock, Duration duration, long sentNanos) {
    this.clock = clock;
    this.usableNanos = duration.minus(margin(duration)).toNanos();
    this.sentNanos = sentNanos;
  }

  /** Returns how long a backup waits without a change of the record before it takes over. */
  public static Duration patience(Duration duration) {
    return duration.plus(margin(duration));
  }

  /** Returns true if the holder may answer now. */
  public boolean isHeld() {
    return clock.monotonicNanos() - sentNanos < usableNanos;
  }

  /** Returns how long the lease is still held, in nanoseconds; negative if it is not. */
  public long remainingNanos() {
    return usableNanos - (clock.monotonicNanos() - sentNanos);
  }

  /** Records that a renewal sent at that time has been acknowledged. */
  public void renewedAt(long renewalSentNanos) {
    if (renewalSentNanos - sentNanos < 0) {
      throw new InvariantViolatedException(
          "renewals out of order, sentNanos=" + renewalSentNanos + " last=" + sentNanos);
    }
    sentNanos = renewalSentNanos;
  }

  private static Duration margin(Duration duration) {
    return duration.dividedBy(MARGIN_DIVISOR);
  }
}
