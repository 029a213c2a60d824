package io.lampone.coprocessor.core.healing;

import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Backoff of retries per transaction: the pause doubles with each failure, so a permanent failure
 * costs next to nothing and is not forgotten.
 *
 * <p>Not thread-safe.
 */
public final class TransactionBackoff {

  static final Duration FIRST_PAUSE = Duration.ofMinutes(1);
  static final Duration LONGEST_PAUSE = Duration.ofHours(1);

  private final Clock clock;
  private final int capacity;

  /** Failures by start timestamp, oldest first. */
  private final Map<Long, Failed> failed = new LinkedHashMap<>();

  private record Failed(long sinceNanos, Duration pause) {}

  /**
   * @param capacity maximum number of transactions; one that is evicted is retried early
   */
  public TransactionBackoff(Clock clock, int capacity) {
    this.clock = clock;
    this.capacity = capacity;
  }

  /** Returns true if the transaction that began at {@code start} may be retried. */
  public boolean isDue(long start) {
    Failed last = failed.get(start);
    return last == null || clock.monotonicNanos() - last.sinceNanos() >= last.pause().toNanos();
  }

  /** Records a failure. */
  public void failed(long start) {
    Failed last = failed.remove(start);
    Duration pause = last == null ? FIRST_PAUSE : last.pause().multipliedBy(2);
    if (failed.size() == capacity) {
      failed.remove(failed.keySet().iterator().next());
    }
    failed.put(
        start,
        new Failed(
            clock.monotonicNanos(), pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause));
  }

  /** Removes a transaction that has not failed. */
  public void ended(long start) {
    failed.remove(start);
  }
}
