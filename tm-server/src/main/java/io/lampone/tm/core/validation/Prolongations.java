package io.lampone.tm.core.validation;

import java.time.Duration;
import java.util.HashMap;
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
  static final int CAPACITY = 16_000;

  /** Further assignments of one sender are not prolonged once half of the capacity is used. */
  static final int MAX_OF_SENDER = CAPACITY / 16;

  private final long graceMillis;

  /** By start timestamp, oldest entry first. */
  private final Map<Long, Assignment> assigned = new LinkedHashMap<>();

  private final Map<Object, Integer> bySender = new HashMap<>();

  /** Time of an assignment, in monotonic milliseconds, and sender of its first prolongation. */
  private record Assignment(long millis, Object sender) {}

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
   * @param sender identity of the sender of the request
   * @param ageMillis time since it was made, or prolonged last
   */
  boolean mayProlong(long start, Object sender, long ageMillis, long nowMillis) {
    long oldest = nowMillis - LONGEST.toMillis();
    dropBefore(oldest - PROLONGED.toMillis());
    if (ageMillis >= graceMillis(start)) {
      return false;
    }
    Assignment known = assigned.get(start);
    if (known != null) {
      return known.millis >= oldest;
    }
    int own = bySender.getOrDefault(sender, 0);
    boolean crowded = assigned.size() >= CAPACITY / 2;
    if (assigned.size() >= CAPACITY || crowded && own >= MAX_OF_SENDER) {
      return false;
    }
    assigned.put(start, new Assignment(nowMillis - ageMillis, sender));
    bySender.put(sender, own + 1);
    return true;
  }

  /** Drops the oldest entries; one that was prolonged late may stay behind a younger one. */
  private void dropBefore(long millis) {
    Iterator<Assignment> oldest = assigned.values().iterator();
    while (oldest.hasNext()) {
      Assignment next = oldest.next();
      if (next.millis >= millis) {
        return;
      }
      oldest.remove();
      bySender.computeIfPresent(next.sender, (sender, own) -> own == 1 ? null : own - 1);
    }
  }
}
