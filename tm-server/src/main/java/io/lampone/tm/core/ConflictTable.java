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

  private final AgedIndex index;
  private final long[] commits;

  /** The newest timestamp recorded; they come in order, which makes the oldest slot the lowest. */
  private long newest;

  /** The newest timestamp that has been forgotten; only grows. */
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
      raiseWatermark(commits[slot]);
    }
    index.append(hash);
    commits[slot] = commitTimestamp;
  }

  private void raiseWatermark(long evicted) {
    if (evicted < lowWatermark) {
      throw new InvariantViolatedException(
          "eviction out of order, evicted=" + evicted + " lowWatermark=" + lowWatermark);
    }
    lowWatermark = evicted;
  }
}
