package io.lampone.coprocessor.server;

import io.lampone.protocol.time.Clock;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Rate limit for log lines about a repeated action's failures: the first one at once, then one a
 * minute with the number of failures since, regardless of successes in between. Used by one thread.
 */
final class FailureLog {

  static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Clock clock;

  /** Time of the last logged failure; empty if there is none. */
  private OptionalLong loggedNanos = OptionalLong.empty();

  /** Failures since then. */
  private long unlogged;

  /** True if the last line in the log reports a failure. */
  private boolean failing;

  FailureLog(Clock clock) {
    this.clock = clock;
  }

  /** Records a failure; returns the number that a line reports, or empty for no line. */
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

  /** Records a success; returns true if the last line reported a failure. */
  boolean succeeded() {
    boolean news = failing;
    failing = false;
    return news;
  }
}
