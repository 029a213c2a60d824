package io.lampone.protocol.time;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Wait before an attempt: doubled each time, capped, and drawn evenly from zero to that ("full
 * jitter"), so that many clients that failed together do not come back together.
 *
 * @param first longest wait before the first repetition
 * @param cap longest wait at all
 */
public record Backoff(Duration first, Duration cap) {

  /** For calls to servers. */
  public static final Backoff CALLS = new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1));

  private static final int MAX_DOUBLINGS = 20;

  /** The wait before repetition {@code attempt}, which counts from 0. */
  public Duration delay(int attempt, RandomGenerator random) {
    long ceiling = Math.min(cap.toNanos(), first.toNanos() << Math.min(attempt, MAX_DOUBLINGS));
    return Duration.ofNanos(random.nextLong(ceiling + 1));
  }
}
