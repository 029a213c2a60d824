package io.lampone.tm.core.validation;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Assignments whose clients have asked for more time, with the times of the assignments (ADR 81): a
 * client may hold up readers of its writes as long as it lives and certifies, but not for ever.
 *
 * <p>Single-threaded.
 */
final class Prolongations {

  /** Age from which on an assignment is not prolonged: readers wait for 10 s by default. */
  static final Duration LONGEST = Duration.ofSeconds(8);

  /** Time for which an assignment is prolonged: its client certifies, and may be slow to say so. */
  private static final Duration PROLONGED = Duration.ofSeconds(1);

  /** Further assignments are not prolonged. */
  private static final int CAPACITY = 10_000;

  private final long graceMillis;

  /** Times of the assignments in monotonic milliseconds, by start timestamp, oldest entry first. */
  private final Map<Long, Long> assigned = new LinkedHashMap<>();

  /**
   * @param graceMillis age from which on an assignment that was never prolonged is over
   */
  Prolongations(long graceMillis) {
    this.graceMillis = graceMillis;
  }

  /** Returns the time since it was made or prolonged last after which an assignment is over. */
  long graceMillis(long start) {
    return assigned.containsKey(start) ? PROLONGED.toMillis() : graceMillis;
  }

  /**
   * Returns true if the assignment begins anew now. One that is over does not: its entry here may
   * be gone, and other clients may hold a statement to abort it.
   *
   * @param ageMillis time since it was made, or prolonged last
   */
  boolean mayProlong(long start, long ageMillis, long nowMillis) {
    long oldest = nowMillis - LONGEST.toMillis();
    dropBefore(oldest - PROLONGED.toMillis());
    if (ageMillis >= graceMillis(start)
        || assigned.size() >= CAPACITY && !assigned.containsKey(start)) {
      return false;
    }
    return assigned.computeIfAbsent(start, key -> nowMillis - ageMillis) >= oldest;
  }

  /** Drops the oldest entries; one that was prolonged late may stay behind a younger one. */
  private void dropBefore(long millis) {
    Iterator<Long> oldest = assigned.values().iterator();
    while (oldest.hasNext() && oldest.next() < millis) {
      oldest.remove();
    }
  }
}
