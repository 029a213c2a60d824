package io.lampone.tm.core.validation;

/**
 * The highest commit timestamp recorded for each hash, within a fixed capacity. Unlike {@link
 * ConflictTable}, timestamps may be recorded in any order.
 *
 * <p>Invariant: {@link #highest} returns the highest timestamp recorded for a hash, unless that is
 * at or below {@link #low}.
 */
public final class VoteTable {

  /** Result of {@link #highest} for an absent hash. */
  public static final long NEVER = 0;

  // Values of a slot: the two halves of the timestamp.
  private static final int HIGH = 0;
  private static final int LOW = 1;
  private static final int VALUES = 2;

  private final FifoHashIndex index;

  /** The highest timestamp evicted; never decreases. */
  private long low;

  /** An empty table. */
  public VoteTable(int capacity) {
    index = new FifoHashIndex(capacity, VALUES);
  }

  /** Returns the highest timestamp recorded for the hash, or {@link #NEVER}. */
  public long highest(long hash) {
    int slot = index.find(hash);
    return slot < 0 ? NEVER : timestampAt(slot);
  }

  /** Records a timestamp; evicts the oldest entry if the table is full. */
  public void record(long hash, long timestamp) {
    if (highest(hash) >= timestamp) {
      return;
    }
    int slot = index.nextSlot();
    // Must precede any change of that slot; used only if its key is evicted.
    long oldest = index.isFull() ? timestampAt(slot) : NEVER;
    if (index.append(hash)) {
      low = Math.max(low, oldest);
    }
    index.setValueAt(slot, HIGH, (int) (timestamp >>> Integer.SIZE));
    index.setValueAt(slot, LOW, (int) timestamp);
  }

  /** Returns the timestamp at or below which entries may have been forgotten. */
  public long low() {
    return low;
  }

  /** Returns the number of entries present, superseded ones included. */
  public long entries() {
    return index.sequence() - index.oldestSequence();
  }

  private long timestampAt(int slot) {
    return (long) index.valueAt(slot, HIGH) << Integer.SIZE
        | Integer.toUnsignedLong(index.valueAt(slot, LOW));
  }
}
