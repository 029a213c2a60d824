package io.lampone.tm.core.validation;

import io.lampone.protocol.Timestamps;
import io.lampone.tm.core.oracle.InvariantViolatedException;
import io.lampone.tm.core.transfer.CompactTimestamps;

/**
 * The last commit timestamp of every 64-bit hash, within a fixed capacity (protocol page, section
 * 7).
 *
 * <p>Invariant: {@link #lastCommit} returns the newest timestamp recorded for a hash, unless that
 * timestamp is at or below {@link #lowWatermark}. So no conflict of a transaction that began at or
 * above the watermark is missed; one that began below it must be refused.
 *
 * <p>An entry takes less than 19 bytes in {@link FifoHashIndex}: 8 for its hash, 4 for its
 * timestamp (see {@link CompactTimestamps}), and its share of the index.
 */
public final class ConflictTable {

  /** Result of {@link #lastCommit} for an absent hash. */
  static final long NEVER = 0;

  /** Receiver of the entries of {@link #copy}. */
  @FunctionalInterface
  public interface Sink {

    /** Receives a hash that was recorded at a commit timestamp. */
    void entry(long hash, long commitTimestamp);
  }

  /** One entry in 2^this has a mark: its commit timestamp, found by its sequence number. */
  private static final int MARK_SHIFT = 10;

  private final FifoHashIndex index;
  private final CompactTimestamps commits = new CompactTimestamps();

  /** Every entry whose number is a multiple of 2^this has a mark. */
  private final int markShift;

  /**
   * Commit timestamps by the number of the mark, modulo the length, which is a power of two. They
   * cover all entries.
   */
  private final long[] marks;

  /** The newest timestamp recorded. Records are in order, so the oldest slot has the lowest one. */
  private long newest;

  /** The newest timestamp of an evicted entry; eviction is in order of recording. */
  private long newestEvicted;

  /** At or above {@link #newestEvicted}; never decreases. */
  private long lowWatermark;

  public ConflictTable(int capacity) {
    this(capacity, MARK_SHIFT);
  }

  public ConflictTable(int capacity, int markShift) {
    index = new FifoHashIndex(capacity, 1);
    this.markShift = markShift;
    marks = new long[Integer.highestOneBit(Math.max(1, capacity >> markShift)) * 2];
  }

  /** Returns the newest timestamp recorded for {@code hash}, or {@link #NEVER}. */
  public long lastCommit(long hash) {
    int slot = index.find(hash);
    return slot < 0 ? NEVER : commitAt(slot, index.sequenceOf(slot));
  }

  /**
   * Returns a sequence number below which no entry has a commit timestamp above {@code timestamp}.
   * One search serves all checks of a transaction; it nearly always ends at the newest mark.
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
    // Invariant: the mark at low is at or below the timestamp, all marks after high are above it.
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
    // Timestamps are in order: no entry older than this one has a higher timestamp.
    return low << markShift;
  }

  /**
   * Returns {@link #lastCommit}, or {@link #NEVER} if the sequence number of that entry is below
   * {@code since}. For a hash with an older entry, this accesses one memory location instead of
   * two.
   */
  public long lastCommitSince(long hash, long since) {
    int slot = index.findSince(hash, since);
    return slot < 0 ? NEVER : commitAt(slot, index.sequenceOf(slot));
  }

  /** Prefetches the memory that {@link #lastCommit} will read; see {@link FifoHashIndex#touch}. */
  public int touch(long hash) {
    return index.touch(hash);
  }

  /** Prefetches the memory for the record that follows {@code others} other records. */
  int touchOldest(int others) {
    return index.touchOldest(others);
  }

  /** Returns the timestamp below which conflicts may have been forgotten. */
  public long lowWatermark() {
    return lowWatermark;
  }

  /** Records a commit; evicts the oldest entry if the table is full. */
  public void record(long hash, long commitTimestamp) {
    if (commitTimestamp < newest || Timestamps.local(commitTimestamp) != 0) {
      throw new InvariantViolatedException(
          "commit timestamps go back, commitTimestamp=" + commitTimestamp + " newest=" + newest);
    }
    newest = commitTimestamp;
    int slot = index.nextSlot();
    long sequence = index.sequence();
    long oldest = index.oldestSequence();
    // Must precede any change of that slot; used only if its key is evicted.
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

  /** Returns the number of entries ever recorded, superseded ones included. */
  public long sequence() {
    return index.sequence();
  }

  /** Returns the number of the oldest entry still present; {@link #sequence} if there is none. */
  public long oldestSequence() {
    return index.oldestSequence();
  }

  /**
   * Passes at most {@code max} entries to {@code sink} in order of age, starting with the entry of
   * number {@code fromSequence}, and returns the number to continue with. Superseded entries are
   * included: a table of the same capacity that records all entries in this order, and then
   * {@linkplain #raiseLowWatermark raises its watermark} to that of this table, equals this one.
   *
   * @throws IllegalArgumentException if {@code fromSequence} has been evicted, or is above the next
   *     number
   */
  public long copy(long fromSequence, int max, Sink sink) {
    long end = index.endOf(fromSequence, max);
    for (long i = fromSequence; i < end; i++) {
      int slot = index.slotOf(i);
      sink.entry(index.keyAt(slot), commitAt(slot, i));
    }
    return end;
  }

  /** Refuses transactions that began below {@code timestamp} from now on. */
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
