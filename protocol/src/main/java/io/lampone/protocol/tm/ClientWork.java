package io.lampone.protocol.tm;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Names of what clients report of their work: events, and durations of phases in buckets with fixed
 * bounds, two for each power of two from 16 us to 34 s. A report identifies each count by an index,
 * which never changes; a receiver ignores an unknown one.
 */
public final class ClientWork {

  /** Events by index; new ones come to the end. */
  public static final List<String> EVENTS =
      List.of(
          "begin",
          "begin-session",
          "committed.by-intents",
          "committed.one-region",
          "committed.without-writes",
          "conflict.write-write",
          "conflict.read-write",
          "conflict.range",
          "conflict.late",
          "conflict.other",
          "aborted.no-validation",
          "aborted.not-validated",
          "aborted.not-certified",
          "aborted.not-flushed",
          "aborted.by-others",
          "aborted.other",
          "refused.other",
          "rolled-back",
          "timeout",
          "unknown",
          "retry",
          "scan",
          "begin-latest",
          "local-check",
          "local-check-failed",
          "conflict.held");

  /** Phases by index; new ones come to the end. */
  public static final List<String> PHASES =
      List.of(
          "begin",
          "operations",
          "read",
          "resolve",
          "early-flush",
          "flush",
          "one-region",
          "validate",
          "certify",
          "leader",
          "commit",
          "fast-read",
          "fast-write");

  /** Power of two of the first bound, in nanoseconds. */
  public static final int FIRST_SHIFT = 14;

  private static final int LAST_SHIFT = 35;

  /** Number of bounds of durations; one more bucket has what is longer. */
  public static final int BOUNDS = 2 * (LAST_SHIFT - FIRST_SHIFT) + 1;

  /** Index of the first bucket of the first phase. */
  public static final int FIRST_PHASE = 64;

  /** Number of indexes of a phase. */
  public static final int BUCKETS = 64;

  /** Number of indexes. */
  public static final int SIZE = FIRST_PHASE + PHASES.size() * BUCKETS;

  /** Maximum number of counts in a report. */
  public static final int MAX_COUNTS = SIZE;

  private static final Map<String, Integer> BY_NAME = new TreeMap<>();

  static {
    EVENTS.forEach(name -> BY_NAME.put(name, EVENTS.indexOf(name)));
  }

  private ClientWork() {}

  /**
   * Returns the index of an event; -1 if it is not reported. An event that has no index of its own
   * counts as the other one of its family, the part before the dot.
   */
  public static int event(String name) {
    int dot = name.indexOf('.');
    Integer family = dot < 0 ? null : BY_NAME.get(name.substring(0, dot) + ".other");
    return BY_NAME.getOrDefault(name, family == null ? -1 : family);
  }

  /** Returns the index of a bucket of a phase; -1 if the phase is not reported. */
  public static int bucket(String phase, int bucket) {
    int index = PHASES.indexOf(phase);
    return index < 0 ? -1 : FIRST_PHASE + index * BUCKETS + bucket;
  }

  /** Returns the largest duration of a bucket, in nanoseconds. */
  public static long boundOf(int bucket) {
    if (bucket >= BOUNDS) {
      return Long.MAX_VALUE;
    }
    long power = 1L << FIRST_SHIFT + bucket / 2;
    return bucket % 2 == 0 ? power : power + power / 2;
  }
}
