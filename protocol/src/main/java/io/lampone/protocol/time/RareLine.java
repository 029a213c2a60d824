package io.lampone.protocol.time;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * When to write a line of the log about something that may happen very often: the first time at
 * once, then once a minute, with the number of times that the line stands for. Thread-safe.
 */
public final class RareLine {

  static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Clock clock;

  /** When the last line was due; empty if none was. Guarded by this. */
  private OptionalLong lastNanos = OptionalLong.empty();

  /** Number of events since then. Guarded by this. */
  private long unwritten;

  public RareLine(Clock clock) {
    this.clock = clock;
  }

  /** It has happened. How many times a line stands for, this one included; empty for no line. */
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
