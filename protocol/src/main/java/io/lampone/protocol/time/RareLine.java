package io.lampone.protocol.time;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Rate limit for a log line: the first event is logged at once, later ones once a minute with the
 * number of events that the line stands for. Thread-safe.
 */
public final class RareLine {

  static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Clock clock;

  /** Time of the last line; empty if there was none. Guarded by this. */
  private OptionalLong lastNanos = OptionalLong.empty();

  /** Number of events since the last line. Guarded by this. */
  private long unwritten;

  public RareLine(Clock clock) {
    this.clock = clock;
  }

  /** Records an event. Returns the number of events to log; empty = write no line. */
  public synchronized OptionalLong happened() {
    long now = clock.monotonicNanos();
    unwritten++;
    if (lastNanos.isPresent() && now - lastNanos.getAsLong() < PERIOD_NANOS) {
      return OptionalLong.empty();
    }
    OptionalLong times = OptionalLong.of(unwritten);
    lastNanos = OptionalLong.of(now);
    unwritten = 0;
    return times;
  }
}
