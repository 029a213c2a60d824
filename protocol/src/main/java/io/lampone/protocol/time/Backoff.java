package io.lampone.protocol.time;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Delay before a retry: exponential, capped, and drawn uniformly between zero and that value ("full
 * jitter"), so that clients that failed together do not retry together.
 *
 * @param first maximum delay before the first retry
 * @param cap maximum delay
 */
public record Backoff(Duration first, Duration cap) {

  /** Backoff of calls to servers. */
  public static final Backoff CALLS = new Backoff(Duration.ofMillis(10), Duration.ofSeconds(1));

  private static final int MAX_DOUBLINGS = 20;

  /** Returns the delay before retry {@code attempt}, counted from 0. */
  public Duration delay(int attempt, RandomGenerator random) {
    long ceiling = Math.min(cap.toNanos(), first.toNanos() << Math.min(attempt, MAX_DOUBLINGS));
    return Duration.ofNanos(random.nextLong(ceiling + 1));
  }
}
