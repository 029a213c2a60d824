package io.lampone.tm.net;

import io.lampone.protocol.time.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Rate limit of log lines that clients cause, so that they cannot fill the disk. Event loop only.
 */
public final class LogBudget {

  /** Lines per minute. */
  static final int LINES = 10;

  private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Clock clock;

  /** Start of the current minute. */
  private long sinceNanos;

  /** Lines left in it. */
  private int left = LINES;

  /** Number of lines suppressed. */
  private long suppressed;

  public LogBudget(Clock clock) {
    this.clock = clock;
    this.sinceNanos = clock.monotonicNanos();
  }

  /** Returns true if one more line may be logged; otherwise counts it as suppressed. */
  public boolean allows() {
    long now = clock.monotonicNanos();
    if (now - sinceNanos >= PERIOD_NANOS) {
      sinceNanos = now;
      left = LINES;
    }
    if (left == 0) {
      suppressed++;
      return false;
    }
    left--;
    return true;
  }

  /** Returns the number of lines suppressed since the last call. */
  public long takeSuppressed() {
    long taken = suppressed;
    suppressed = 0;
    return taken;
  }
}
