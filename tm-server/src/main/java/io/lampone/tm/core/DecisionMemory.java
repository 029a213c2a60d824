package io.lampone.tm.core;

import io.lampone.protocol.tm.Validator.Validation;
import java.util.Optional;

/**
 * What has been decided, by start timestamp, as far as memory goes; the oldest decision is
 * forgotten first (protocol page, sections 3.4 and 4.2).
 *
 * <p>Invariant: every decision ever recorded is found here, or its start timestamp is at or below
 * {@link #horizon}.
 */
final class DecisionMemory {

  private static final int PASSED = -1;

  private final AgedIndex index;

  /** By slot: the commit timestamp if it passed, else the one that was in the way. */
  private final long[] timestamps;

  /** By slot: the index of the hash that was in the way, or {@link #PASSED}. */
  private final int[] checkIndexes;

  /** The highest start timestamp of a forgotten decision; only grows. */
  private long horizon;

  DecisionMemory(int capacity) {
    index = new AgedIndex(capacity);
    timestamps = new long[capacity];
    checkIndexes = new int[capacity];
  }

  /** The decision on the transaction of {@code startTimestamp}, if there was one. */
  Optional<Validation> find(long startTimestamp) {
    int slot = index.find(startTimestamp);
    if (slot < 0) {
      return Optional.empty();
    }
    return Optional.of(
        checkIndexes[slot] == PASSED
            ? new Validation.Passed(timestamps[slot])
            : new Validation.Conflict(checkIndexes[slot], timestamps[slot]));
  }

  /** At or below this, a decision may have been forgotten. */
  long horizon() {
    return horizon;
  }

  /** Remembers that the transaction may commit. */
  void recordPassed(long startTimestamp, long commitTimestamp) {
    record(startTimestamp, commitTimestamp, PASSED);
  }

  /** Remembers that the transaction must not commit. */
  void recordConflict(long startTimestamp, Validation.Conflict conflict) {
    record(startTimestamp, conflict.winnerCommitTimestamp(), conflict.checkIndex());
  }

  private void record(long startTimestamp, long timestamp, int checkIndex) {
    if (index.find(startTimestamp) >= 0) {
      throw new InvariantViolatedException("decided twice, startTimestamp=" + startTimestamp);
    }
    int slot = index.nextSlot();
    if (index.evicts(startTimestamp)) {
      horizon = Math.max(horizon, index.oldestKey());
    }
    index.append(startTimestamp);
    timestamps[slot] = timestamp;
    checkIndexes[slot] = checkIndex;
  }
}
