package io.lampone.tm.net;

import io.lampone.protocol.time.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Budget of log lines that clients cause: so many a minute, so that they cannot fill the disk.
 * Event loop only.
 */
public final class LogBudget {

  /** Lines in a minute. */
  static final int LINES = 10;

  private static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Clock clock;

  /** When the present minute began. */
  private long sinceNanos;

  /** Lines left in it. */
  private int left = LINES;

  /** Lines not logged in it. */
  private long suppressed;

  public LogBudget(Clock clock) {
    this.clock = clock;
    this.sinceNanos = clock.monotonicNanos();
  }

  /** Returns true if one more line may be logged; if not, it is counted. */
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

  /** Returns the number of lines not logged since the last call. */
  public long takeSuppressed() {
    long taken = suppressed;
    suppressed = 0;
    return taken;
  }
}
