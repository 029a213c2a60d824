package io.lampone.tmclient;

import java.time.Duration;
import java.util.Random;

/**
 * Pauses between attempts: doubled each time up to a cap, and each drawn from the upper half of its
 * range, so that clients that lost the same server do not come back together.
 */
final class Backoff {

  private static final long FIRST_NANOS = Duration.ofMillis(10).toNanos();

  private final long capNanos;
  private final Random random;

  /** The upper end of the next pause; event loop only. */
  private long nextNanos = FIRST_NANOS;

  Backoff(Duration cap, Random random) {
    this.capNanos = cap.toNanos();
    this.random = random;
  }

  long nextDelayNanos() {
    long upper = Math.min(nextNanos, capNanos);
    nextNanos = Math.min(nextNanos * 2, capNanos);
    long half = upper / 2;
    return half + (long) (random.nextDouble() * (upper - half));
  }

  /** The server has answered. */
  void reset() {
    nextNanos = FIRST_NANOS;
  }
}
