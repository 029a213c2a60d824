package io.lampone.tm.core.validation;

import io.lampone.protocol.Timestamps;
import io.lampone.tm.core.oracle.InvariantViolatedException;
import io.lampone.tm.core.transfer.CompactTimestamps;

/**
 * The last commit timestamp of every 64-bit hash, as far as memory goes (protocol page, section 7).
 *
 * <p>Invariant: for every hash, {@link #lastCommit} tells the newest timestamp recorded for it, or
 * that one is at or below {@link #lowWatermark}. So a transaction that began at or above the
 * watermark misses no conflict, and one that began below it must be refused.
 *
 * <p>An entry takes less than 19 bytes in {@link FifoHashIndex}: 8 for its hash, 4 for its
 * timestamp (see {@link CompactTimestamps}), and its share of the index.
 */
public final class ConflictTable {

  /** Result of {@link #lastCommit} for a hash that is not there. */
  static final long NEVER = 0;

  /** Takes what {@link #copy} shows. */
  @FunctionalInterface
  public interface Sink {

    /** The hash was recorded at this commit timestamp. */
    void entry(long hash, long commitTimestamp);
  }

  /** The commit timestamp of one entry in 2^this is kept where it is found by its number. */
  private static final int MARK_SHIFT = 10;

  private final FifoHashIndex index;
  private final CompactTimestamps commits = new CompactTimestamps();

  /** There is a mark for every entry whose number is a multiple of 2^this. */
  private final int markShift;

  /**
   * Commit timestamps by the number of the mark, modulo the length, which is a power of two. They
   * reach back as far as entries do.
   */
  private final long[] marks;

  /** The newest timestamp recorded; they come in order, which makes the oldest slot the lowest. */
  private long newest;

  /** The newest timestamp of an entry that was thrown out; entries go in the order they came. */
  private long newestEvicted;

  /** At or above {@link #newestEvicted}; only grows. */
  private long lowWatermark;

  public ConflictTable(int capacity) {
    this(capacity, MARK_SHIFT);
  }

  public ConflictTable(int capacity, int markShift) {
    index = new FifoHashIndex(capacity, 1);
    this.markShift = markShift;
    marks = new long[Integer.highestOneBit(Math.max(1, capacity >> markShift)) * 2];
  }

  /** The newest timestamp recorded for {@code hash}, or {@link #NEVER}. */
  public long lastCommit(long hash) {
    int slot = index.find(hash);
    return slot < 0 ? NEVER : commitAt(slot, index.sequenceOf(slot));
  }

  /**
   * A number of an entry below which no entry has a commit timestamp above {@code timestamp}. One
   * search for all checks of a transaction; nearly always the newest mark will do.
   */
  public long firstThatMayBeAfter(long timestamp) {
    if (index.sequence() == 0) {
      return 0;
    }
    long newestMark = index.sequence() - 1 >> markShift;
    long low = Math.max(0, newestMark - marks.length + 1);
    long high = newestMark;
    if (markAt(low) > timestamp) {
      return 0;
    }
    // Invariant: the mark at low is at or below the timestamp; all those after high are above.
    if (markAt(high) <= timestamp) {
      low = high;
    }
    while (low < high) {
      long middle = low + (high - low + 1) / 2;
      if (markAt(middle) <= timestamp) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    // Timestamps come in order: whatever is older than this entry is not above its timestamp.
    return low << markShift;
  }

  /**
   * The same as {@link #lastCommit}, or {@link #NEVER} if that entry's number is below {@code
   * since}. Of a hash that is there, but older, this looks at one place in memory instead of two.
   */
  public long lastCommitSince(long hash, long since) {
    int slot = index.findSince(hash, since);
    return slot < 0 ? NEVER : commitAt(slot, index.sequenceOf(slot));
  }

  /** Asks memory for what {@link #lastCommit} will look at; see {@link FifoHashIndex#touch}. */
  public int touch(long hash) {
    return index.touch(hash);
  }

  /** Asks memory for what a record will look at that comes after {@code others} others. */
  int touchOldest(int others) {
    return index.touchOldest(others);
  }

  /** Below this, conflicts may have been forgotten. */
  public long lowWatermark() {
    return lowWatermark;
  }

  /** Records a commit, forgetting the oldest entry if there is no room. */
  public void record(long hash, long commitTimestamp) {
    if (commitTimestamp < newest || Timestamps.local(commitTimestamp) != 0) {
      throw new InvariantViolatedException(
          "commit timestamps go back, commitTimestamp=" + commitTimestamp + " newest=" + newest);
    }
    newest = commitTimestamp;
    int slot = index.nextSlot();
    long sequence = index.sequence();
    long oldest = index.oldestSequence();
    // Before anything of that slot is overwritten; it counts only if its key disappears.
    long oldestCommit = index.isFull() ? commitAt(slot, oldest) : NEVER;
    int ticks = commits.compress(sequence, commitTimestamp, oldest);
    if ((sequence & (1L << markShift) - 1) == 0) {
      marks[markIndex(sequence >> markShift)] = commitTimestamp;
    }
    if (index.append(hash)) {
      evict(oldestCommit);
    }
    index.setValueAt(slot, 0, ticks);
  }

  /** Entries recorded since the beginning, superseded ones included. */
  public long sequence() {
    return index.sequence();
  }

  /** The number of the oldest entry that is still here; {@link #sequence} if there is none. */
  public long oldestSequence() {
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
  public long copy(long fromSequence, int max, Sink sink) {
    long end = index.endOf(fromSequence, max);
    for (long i = fromSequence; i < end; i++) {
      int slot = index.slotOf(i);
      sink.entry(index.keyAt(slot), commitAt(slot, i));
    }
    return end;
  }

  /** Refuses transactions begun below {@code timestamp} from now on, whatever is remembered. */
  public void raiseLowWatermark(long timestamp) {
    lowWatermark = Math.max(lowWatermark, timestamp);
  }

  private long markAt(long number) {
    return marks[markIndex(number)];
  }

  private int markIndex(long number) {
    return (int) number & marks.length - 1;
  }

  private long commitAt(int slot, long sequence) {
    return commits.expand(sequence, index.valueAt(slot, 0));
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
