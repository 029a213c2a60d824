package io.lampone.tm.net;

import io.lampone.protocol.time.Clock;
import java.util.concurrent.TimeUnit;

/**
 * How much may be logged of what strangers cause: so many lines a minute, so that nobody can fill
 * the disk by knocking. Event loop only.
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

  /** What was not logged in it. */
  private long suppressed;

  public LogBudget(Clock clock) {
    this.clock = clock;
    this.sinceNanos = clock.monotonicNanos();
  }

  /** Whether one more line may be logged; if not, it is counted. */
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

  /** How many lines were not logged since this was asked last. */
  public long takeSuppressed() {
    long taken = suppressed;
    suppressed = 0;
    return taken;
  }
}
