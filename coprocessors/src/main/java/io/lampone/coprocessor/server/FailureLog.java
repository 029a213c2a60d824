package io.lampone.coprocessor.server;

import io.lampone.protocol.time.Clock;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Filter for the log lines of a repeated action's failures: the first one at once, then one a
 * minute with the number of those in between, however often it succeeds meanwhile. One thread uses
 * it.
 */
final class FailureLog {

  static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Clock clock;

  /** When a failure was last logged; empty if none has been. */
  private OptionalLong loggedNanos = OptionalLong.empty();

  /** Failures since then. */
  private long unlogged;

  /** True if the last line in the log reports a failure. */
  private boolean failing;

  FailureLog(Clock clock) {
    this.clock = clock;
  }

  /** It has failed. How many failures a line stands for, this one included; empty for no line. */
  OptionalLong failed() {
    long now = clock.monotonicNanos();
    unlogged++;
    if (loggedNanos.isPresent() && now - loggedNanos.getAsLong() < PERIOD_NANOS) {
      return OptionalLong.empty();
    }
    long count = unlogged;
    loggedNanos = OptionalLong.of(now);
    unlogged = 0;
    failing = true;
    return OptionalLong.of(count);
  }

  /** It has succeeded. Whether that is worth a line: the log said that it fails. */
  boolean succeeded() {
    boolean news = failing;
    failing = false;
    return news;
  }
}
