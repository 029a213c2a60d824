package io.lampone.coprocessor.core.healing;

import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * When something that has failed for a transaction is tried once more: after a pause that doubles
 * with each failure, so that what fails for good costs next to nothing and is not forgotten.
 *
 * <p>Not thread-safe.
 */
public final class TransactionBackoff {

  static final Duration FIRST_PAUSE = Duration.ofMinutes(1);
  static final Duration LONGEST_PAUSE = Duration.ofHours(1);

  private final Clock clock;
  private final int capacity;

  /** Failures by start timestamp; the one that was noted first comes first. */
  private final Map<Long, Failed> failed = new LinkedHashMap<>();

  private record Failed(long sinceNanos, Duration pause) {}

  /**
   * @param capacity transactions that are remembered; one that is forgotten to make room is tried
   *     once more, sooner than it should be
   */
  public TransactionBackoff(Clock clock, int capacity) {
    this.clock = clock;
    this.capacity = capacity;
  }

  /** Returns true if the transaction that began at {@code start} may be tried. */
  public boolean isDue(long start) {
    Failed last = failed.get(start);
    return last == null || clock.monotonicNanos() - last.sinceNanos() >= last.pause().toNanos();
  }

  /** It has failed. */
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

  /** It has not failed. */
  public void ended(long start) {
    failed.remove(start);
  }
}
