package io.lampone.tm.core.validation;

import io.lampone.tm.core.oracle.InvariantViolatedException;

/**
 * Cache of decisions and assigned commit timestamps by start timestamp; evicts the oldest entry
 * first (protocol page, sections 4 and 5).
 *
 * <p>Invariant: every decision ever recorded is present, unless its start timestamp is at or below
 * {@link #horizon}.
 */
public final class DecisionCache {

  /** The check index of a transaction that passed. */
  public static final int PASSED = -1;

  /**
   * The check index of a transaction with an assigned commit timestamp, which is not decided (ADR
   * 81): only its own client may commit it.
   */
  public static final int ASSIGNED = -2;

  /** Age of an assignment of another transaction manager. */
  static final long UNKNOWN_AGE = -1;

  /** Result of {@link #find} for an unknown transaction. */
  public static final int NOT_FOUND = -1;

  /** Receiver of the entries of {@link #copy}. */
  @FunctionalInterface
  public interface Sink {

    /** Receives an entry; see {@link #restore}. */
    void decision(long startTimestamp, long timestamp, int checkIndex);
  }

  // Values of a slot besides the start timestamp: the commit timestamp of the transaction or, after
  // a conflict, that of the winner; and the index of the conflicting hash, PASSED or ASSIGNED. An
  // assignment made by this process holds its time in milliseconds instead of ASSIGNED: a value
  // below it.
  private static final int TIMESTAMP_HIGH = 0;
  private static final int TIMESTAMP_LOW = 1;
  private static final int CHECK_INDEX = 2;
  private static final int VALUES = 3;
  private static final int MILLIS_MASK = 0x3FFF_FFFF; // twelve days

  private final FifoHashIndex index;

  /** The highest start timestamp of an evicted entry; never decreases. */
  private long horizon;

  /** One more than the number of the newest ASSIGNED entry; 0 = none. */
  private long assignedBelow;

  public DecisionCache(int capacity) {
    index = new FifoHashIndex(capacity, VALUES);
  }

  /**
   * Returns the place of the entry of the transaction, as argument of {@link #passed}, {@link
   * #timestamp} and {@link #checkIndex}, or {@link #NOT_FOUND}. Valid until the next entry is
   * recorded.
   */
  public int find(long startTimestamp) {
    return index.find(startTimestamp);
  }

  /**
   * Prefetches the memory for {@link #find}, and for the {@link #restore} that follows {@code
   * others} others; see {@link FifoHashIndex#touch}.
   */
  int touch(long startTimestamp, int others) {
    return index.touch(startTimestamp) + index.touchOldest(others);
  }

  /** Returns true if the entry at {@code place} is the decision that the transaction may commit. */
  public boolean passed(int place) {
    return checkIndex(place) == PASSED;
  }

  /** Returns true if the entry at {@code place} is an assigned commit timestamp. */
  public boolean assigned(int place) {
    return checkIndex(place) == ASSIGNED;
  }

  /**
   * Returns the age of the assignment at {@code place} in milliseconds, or {@link #UNKNOWN_AGE}.
   * Wraps around after twelve days.
   */
  long assignedMillisAgo(int place, long monotonicMillis) {
    int stored = index.valueAt(place, CHECK_INDEX);
    return stored < ASSIGNED ? monotonicMillis - stored & MILLIS_MASK : UNKNOWN_AGE;
  }

  /** Returns the commit timestamp if it passed or was assigned one, else that of the winner. */
  public long timestamp(int place) {
    return (long) index.valueAt(place, TIMESTAMP_HIGH) << Integer.SIZE
        | Integer.toUnsignedLong(index.valueAt(place, TIMESTAMP_LOW));
  }

  /** Returns the index of the conflicting hash, {@link #PASSED} or {@link #ASSIGNED}. */
  int checkIndex(int place) {
    return Math.max(ASSIGNED, index.valueAt(place, CHECK_INDEX));
  }

  /** Returns the start timestamp at or below which entries may have been forgotten. */
  public long horizon() {
    return horizon;
  }

  /** Records that the transaction may commit. */
  void recordPassed(long startTimestamp, long commitTimestamp) {
    restore(startTimestamp, commitTimestamp, PASSED);
  }

  /** Records that the transaction commits at this timestamp or not at all. */
  void recordAssigned(long startTimestamp, long commitTimestamp, long monotonicMillis) {
    remember(startTimestamp, commitTimestamp, assignedAt(monotonicMillis));
  }

  /** Makes the assignment at {@code place} as old as one of now. */
  void prolong(int place, long monotonicMillis) {
    index.setValueAt(place, CHECK_INDEX, assignedAt(monotonicMillis));
  }

  private static int assignedAt(long monotonicMillis) {
    return Integer.MIN_VALUE | (int) monotonicMillis & MILLIS_MASK;
  }

  /** Records that the transaction must not commit. */
  void recordConflict(long startTimestamp, int checkIndex, long winnerCommitTimestamp) {
    restore(startTimestamp, winnerCommitTimestamp, checkIndex);
  }

  /**
   * Records an entry of {@link #copy}.
   *
   * @param timestamp the commit timestamp if it has one, else that of the winner
   * @param checkIndex the index of the conflicting hash, {@link #PASSED} or {@link #ASSIGNED}
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

  /** Returns true if an entry still present is {@link #ASSIGNED}. */
  public boolean remembersAssigned() {
    return assignedBelow > index.oldestSequence();
  }

  /** Returns the number of entries ever recorded. */
  public long sequence() {
    return index.sequence();
  }

  /** Returns the number of the oldest entry still present; {@link #sequence} if there is none. */
  public long oldestSequence() {
    return index.oldestSequence();
  }

  /**
   * Passes at most {@code max} entries to {@code sink} in order of age, starting with the entry of
   * number {@code fromSequence}, and returns the number to continue with. A cache of the same
   * capacity that {@linkplain #restore restores} all entries in this order, and then {@linkplain
   * #raiseHorizon raises its horizon} to that of this cache, equals this one.
   *
   * @throws IllegalArgumentException if {@code fromSequence} has been evicted, or is above the next
   *     number
   */
  public long copy(long fromSequence, int max, Sink sink) {
    long end = index.endOf(fromSequence, max);
    for (long i = fromSequence; i < end; i++) {
      int slot = index.slotOf(i);
      sink.decision(index.keyAt(slot), timestamp(slot), checkIndex(slot));
    }
    return end;
  }

  /** Declares that entries with start timestamps at or below this one may have been forgotten. */
  public void raiseHorizon(long startTimestamp) {
    horizon = Math.max(horizon, startTimestamp);
  }
}
