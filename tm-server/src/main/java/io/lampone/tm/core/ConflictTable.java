package io.lampone.tm.core;

/**
 * The last commit timestamp of every 64-bit hash, as far as memory goes (protocol page, section 6).
 *
 * <p>Invariant: for every hash, {@link #lastCommit} tells the newest timestamp recorded for it, or
 * that one is at or below {@link #lowWatermark}. So a transaction that began at or above the
 * watermark misses no conflict, and one that began below it must be refused.
 */
final class ConflictTable {

  /** What {@link #lastCommit} says of a hash that is not there. */
  static final long NEVER = 0;

  /** Takes what {@link #copy} shows. */
  @FunctionalInterface
  interface Sink {

    /** The hash was recorded at this commit timestamp. */
    void entry(long hash, long commitTimestamp);
  }

  private final AgedIndex index;
  private final long[] commits;

  /** The newest timestamp recorded; they come in order, which makes the oldest slot the lowest. */
  private long newest;

  /** The newest timestamp of an entry that was thrown out; entries go in the order they came. */
  private long newestEvicted;

  /** At or above {@link #newestEvicted}; only grows. */
  private long lowWatermark;

  ConflictTable(int capacity) {
    index = new AgedIndex(capacity);
    commits = new long[capacity];
  }

  /** The newest timestamp recorded for {@code hash}, or {@link #NEVER}. */
  long lastCommit(long hash) {
    int slot = index.find(hash);
    return slot < 0 ? NEVER : commits[slot];
  }

  /** Below this, conflicts may have been forgotten. */
  long lowWatermark() {
    return lowWatermark;
  }

  /** Records a commit, forgetting the oldest entry if there is no room. */
  void record(long hash, long commitTimestamp) {
    if (commitTimestamp < newest) {
      throw new InvariantViolatedException(
          "commit timestamps go back, commitTimestamp=" + commitTimestamp + " newest=" + newest);
    }
    newest = commitTimestamp;
    int slot = index.nextSlot();
    if (index.evicts(hash)) {
      evict(commits[slot]);
    }
    index.append(hash);
    commits[slot] = commitTimestamp;
  }

  /** Entries recorded since the beginning, superseded ones included. */
  long sequence() {
    return index.sequence();
  }

  /** The number of the oldest entry that is still here; {@link #sequence} if there is none. */
  long oldestSequence() {
    return index.oldestSequence();
  }

  /**
   * Shows {@code sink} at most {@code max} entries by age, from the one with number {@code
   * fromSequence} on, and returns the number to go on from. Entries that a younger one has
   * superseded are among them: a table of the same capacity that records all of them in this order,
   * and then {@linkplain #raiseLowWatermark raises its watermark} to this one's, is equal to this
   * one.
   *
   * @throws IllegalArgumentException if {@code fromSequence} has been thrown out already, or has
   *     not come yet and is not the next one
   */
  long copy(long fromSequence, int max, Sink sink) {
    long end = index.endOf(fromSequence, max);
    for (long i = fromSequence; i < end; i++) {
      int slot = index.slotOf(i);
      sink.entry(index.keyAt(slot), commits[slot]);
    }
    return end;
  }

  /** Whoever began below {@code timestamp} is refused from now on, whatever is remembered. */
  void raiseLowWatermark(long timestamp) {
    lowWatermark = Math.max(lowWatermark, timestamp);
  }

  private void evict(long commitTimestamp) {
    if (commitTimestamp < newestEvicted) {
      throw new InvariantViolatedException(
          "eviction out of order, evicted=" + commitTimestamp + " newestEvicted=" + newestEvicted);
    }
    newestEvicted = commitTimestamp;
    raiseLowWatermark(commitTimestamp);
  }
}
