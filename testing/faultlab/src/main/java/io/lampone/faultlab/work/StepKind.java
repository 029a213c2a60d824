package io.lampone.faultlab.work;

import io.lampone.faultlab.event.EventCounts;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Kind of what a client does in one step; attempts and successes of each are counted. */
public enum StepKind {
  /** A transaction that may write. */
  TRANSACTION,
  /**
   * A serializable one whose commit certifies ranges; it counts as {@link #TRANSACTION}, too.
   * Attempts are commits.
   */
  SERIALIZABLE_SCAN,
  /** A transaction that only reads, at a snapshot. */
  READ_ONLY,
  /** The same, the latest state. */
  LATEST,
  /** A read of the fast path. */
  FAST_READ,
  /** The same of the latest state. */
  FAST_READ_LATEST,
  /** A write of one row by the fast path. */
  FAST_WRITE,
  /** The same of several rows. */
  FAST_WRITE_TOGETHER,
  /** A read of the fast path, and a write on the condition that nothing has changed since. */
  FAST_READ_THEN_WRITE,
  /** A transaction or a statement in SQL. */
  SQL,
  /** Reads and writes without transactions. */
  PLAIN,
  /** The read of everything after a round. */
  LAST_LOOK;

  /** So often a kind may fail in a round without being done once. */
  private static final long MOST_FAILURES = 50;

  /** Returns the name of the event that counts attempts. */
  String tried() {
    return "lab.tried." + label();
  }

  /** Returns the name of the event that counts successes. */
  String ok() {
    return "lab.ok." + label();
  }

  private String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns what was tried often and never done, so that nothing judges it. */
  public static List<String> neverDone(EventCounts events) {
    return Arrays.stream(values())
        .filter(kind -> events.counts().getOrDefault(kind.tried(), 0L) >= MOST_FAILURES)
        .filter(kind -> !events.counts().containsKey(kind.ok()))
        .map(StepKind::label)
        .toList();
  }
}
