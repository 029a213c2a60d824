package io.lampone.tmclient;

import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.Random;

/**
 * Pauses from a failure of a connection to the next attempt to open it: never urgent, and longer
 * with each failure. Thread-safe.
 */
final class ConnectionPauses {

  private static final Backoff LENGTHS = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1));

  /** Number of answers without a failure after which the pauses are short again. */
  private static final int ANSWERS_TO_TRUST = 1000;

  private final Clock clock;
  private final Random random = new Random();

  // The following are changed under this object's monitor.
  private int failures;
  private int answersSinceFailure;
  private volatile long untilNanos;

  ConnectionPauses(Clock clock) {
    this.clock = clock;
    this.untilNanos = clock.monotonicNanos();
  }

  /** Returns true if the connection is neither used nor opened at {@code nowNanos}. */
  boolean isPaused(long nowNanos) {
    return nowNanos - untilNanos < 0;
  }

  /** Ends the pause; earlier failures do not count. */
  synchronized void reset() {
    failures = 0;
    untilNanos = clock.monotonicNanos();
  }

  /** Begins a pause of at least {@code least}. */
  synchronized void pause(Duration least) {
    answersSinceFailure = 0;
    long drawn = LENGTHS.delay(failures++, random).toNanos();
    untilNanos = clock.monotonicNanos() + Math.max(least.toNanos(), drawn);
  }

  /** Records an answer. */
  synchronized void answered() {
    answersSinceFailure++;
    if (answersSinceFailure == ANSWERS_TO_TRUST) {
      failures = 0;
    }
  }
}
