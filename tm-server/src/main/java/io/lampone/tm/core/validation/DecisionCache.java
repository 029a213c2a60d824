package io.lampone.tm.core.validation;

import io.lampone.tm.core.oracle.InvariantViolatedException;

/**
 * Cache of decisions, and of commit timestamps that are assigned, by start timestamp; the oldest is
 * forgotten first (protocol page, sections 4 and 5).
 *
 * <p>Invariant: every decision ever recorded is found here, or its start timestamp is at or below
 * {@link #horizon}.
 */
public final class DecisionCache {

  /** The check index of a transaction that passed. */
  public static final int PASSED = -1;

  /**
   * The check index of a transaction that has a commit timestamp and is not decided (ADR 81): only
   * its own client may commit it.
   */
  public static final int ASSIGNED = -2;

  /** Age of what another transaction manager has assigned. */
  static final long UNKNOWN_AGE = -1;

  /** Result of {@link #find} for a transaction that is not remembered. */
  public static final int NOT_FOUND = -1;

  /** Takes what {@link #copy} shows. */
  @FunctionalInterface
  public interface Sink {

    /** Decided; see {@link #restore}. */
    void decision(long startTimestamp, long timestamp, int checkIndex);
  }

  // What a slot holds besides the start timestamp: the commit timestamp if it has one, else the
  // one that was in the way; and the index of the hash that was in the way, or PASSED or ASSIGNED.
  // Instead of ASSIGNED it is the time of that, in milliseconds, if that was here: a value below
  // it.
  private static final int TIMESTAMP_HIGH = 0;
  private static final int TIMESTAMP_LOW = 1;
  private static final int CHECK_INDEX = 2;
  private static final int VALUES = 3;
  private static final int MILLIS_MASK = 0x3FFF_FFFF; // twelve days

  private final FifoHashIndex index;

  /** The highest start timestamp of a forgotten decision; only grows. */
  private long horizon;

  /** The number behind the newest entry that is ASSIGNED; 0 = there was none. */
  private long assignedBelow;

  public DecisionCache(int capacity) {
    index = new FifoHashIndex(capacity, VALUES);
  }

  /**
   * Returns the place of the decision on the transaction of {@code startTimestamp}, for {@link
   * #passed}, {@link #timestamp} and {@link #checkIndex}, or {@link #NOT_FOUND}. Valid until the
   * next decision is recorded.
   */
  public int find(long startTimestamp) {
    return index.find(startTimestamp);
  }

  /**
   * Asks memory for what {@link #find} and {@link #restore} will look at, the latter after {@code
   * others} others; see {@link FifoHashIndex#touch}.
   */
  int touch(long startTimestamp, int others) {
    return index.touch(startTimestamp) + index.touchOldest(others);
  }

  /** Returns true if the decision found at {@code place} was that the transaction may commit. */
  public boolean passed(int place) {
    return checkIndex(place) == PASSED;
  }

  /** Returns true if what was found at {@code place} is an assigned commit timestamp. */
  public boolean assigned(int place) {
    return checkIndex(place) == ASSIGNED;
  }

  /**
   * Returns the age of the assignment found at {@code place} in milliseconds, or {@link
   * #UNKNOWN_AGE}. Counts from zero again after twelve days.
   */
  long assignedMillisAgo(int place, long monotonicMillis) {
    int stored = index.valueAt(place, CHECK_INDEX);
    return stored < ASSIGNED ? monotonicMillis - stored & MILLIS_MASK : UNKNOWN_AGE;
  }

  /** Its commit timestamp if it passed or has been assigned one, else that of the winner. */
  public long timestamp(int place) {
    return (long) index.valueAt(place, TIMESTAMP_HIGH) << Integer.SIZE
        | Integer.toUnsignedLong(index.valueAt(place, TIMESTAMP_LOW));
  }

  /** The index of the hash that was in the way, or {@link #PASSED} or {@link #ASSIGNED}. */
  int checkIndex(int place) {
    return Math.max(ASSIGNED, index.valueAt(place, CHECK_INDEX));
  }

  /** At or below this, a decision may have been forgotten. */
  public long horizon() {
    return horizon;
  }

  /** Remembers that the transaction may commit. */
  void recordPassed(long startTimestamp, long commitTimestamp) {
    restore(startTimestamp, commitTimestamp, PASSED);
  }

  /** Remembers that the transaction commits at this timestamp or not at all. */
  void recordAssigned(long startTimestamp, long commitTimestamp, long monotonicMillis) {
    remember(
        startTimestamp, commitTimestamp, Integer.MIN_VALUE | (int) monotonicMillis & MILLIS_MASK);
  }

  /** Remembers that the transaction must not commit. */
  void recordConflict(long startTimestamp, int checkIndex, long winnerCommitTimestamp) {
    restore(startTimestamp, winnerCommitTimestamp, checkIndex);
  }

  /**
   * Remembers a decision as {@link #copy} shows it.
   *
   * @param timestamp the commit timestamp if it has one, else the one that was in the way
   * @param checkIndex the index of the hash that was in the way, or {@link #PASSED} or {@link
   *     #ASSIGNED}
   */
  public void restore(long startTimestamp, long timestamp, int checkIndex) {
    remember(startTimestamp, timestamp, checkIndex);
  }

  private void remember(long startTimestamp, long timestamp, int checkIndex) {
    if (index.find(startTimestamp) >= 0) {
      throw new InvariantViolatedException("decided twice, startTimestamp=" + startTimestamp);
    }
    int slot = index.nextSlot();
    long oldest = index.isFull() ? index.keyAt(slot) : 0;
    if (index.append(startTimestamp)) {
      raiseHorizon(oldest);
    }
    index.setValueAt(slot, TIMESTAMP_HIGH, (int) (timestamp >>> Integer.SIZE));
    index.setValueAt(slot, TIMESTAMP_LOW, (int) timestamp);
    index.setValueAt(slot, CHECK_INDEX, checkIndex);
    if (checkIndex <= ASSIGNED) {
      assignedBelow = index.sequence();
    }
  }

  /** Returns true if one of the entries that are still here is {@link #ASSIGNED}. */
  public boolean remembersAssigned() {
    return assignedBelow > index.oldestSequence();
  }

  /** Decisions recorded since the beginning. */
  public long sequence() {
    return index.sequence();
  }

  /** The number of the oldest decision that is still here; {@link #sequence} if there is none. */
  public long oldestSequence() {
    return index.oldestSequence();
  }

  /**
   * Shows {@code sink} at most {@code max} decisions by age, from the one with number {@code
   * fromSequence} on, and returns the number to go on from. A memory of the same capacity that
   * {@linkplain #restore restores} all of them in this order, and then {@linkplain #raiseHorizon
   * raises its horizon} to this one's, is equal to this one.
   *
   * @throws IllegalArgumentException if {@code fromSequence} has been forgotten already, or has not
   *     come yet and is not the next one
   */
  public long copy(long fromSequence, int max, Sink sink) {
    long end = index.endOf(fromSequence, max);
    for (long i = fromSequence; i < end; i++) {
      int slot = index.slotOf(i);
      sink.decision(index.keyAt(slot), timestamp(slot), checkIndex(slot));
    }
    return end;
  }

  /** A decision on a transaction that began at or below this may have been forgotten. */
  public void raiseHorizon(long startTimestamp) {
    horizon = Math.max(horizon, startTimestamp);
  }
}
