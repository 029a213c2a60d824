package io.lampone.tm.core;

/**
 * A fixed number of slots, filled round and round, and an open-addressing index from a key to the
 * newest slot that holds it. The owner keeps what belongs to a slot in arrays of its own.
 *
 * <p>A ring, because then the entry that has to go is always the oldest one of all, and not merely
 * the oldest of those that happen to share a bucket: what the owner forgets is bounded by age. Slot
 * numbers are stored plus one, so that emptiness is a property of the index and every 64-bit key is
 * an ordinary value. The index is never more than half full, and an entry is taken out by closing
 * the gap behind it, so that probes stay short however long the process runs.
 */
final class AgedIndex {

  static final int MAX_CAPACITY = 1 << 29;

  private final long[] keys;
  private final int[] table;
  private final int mask;

  /** The slot that is filled next; {@link #sequence} modulo the number of slots. */
  private int next;

  /** Entries appended since the beginning; the next one goes where the oldest one is. */
  private long sequence;

  AgedIndex(int capacity) {
    if (capacity < 1 || capacity > MAX_CAPACITY) {
      throw new IllegalArgumentException("capacity out of range, capacity=" + capacity);
    }
    keys = new long[capacity];
    table = new int[Integer.highestOneBit(capacity * 2 - 1) * 2];
    mask = table.length - 1;
  }

  /** The newest slot of {@code key}, or -1. */
  int find(long key) {
    return table[probe(key)] - 1;
  }

  /** Entries appended since the beginning: the number that the next one will have. */
  long sequence() {
    return sequence;
  }

  /** The number of the oldest entry that is still here; {@link #sequence} if there is none. */
  long oldestSequence() {
    return Math.max(0, sequence - keys.length);
  }

  /**
   * The number after the last one of at most {@code max} entries from {@code fromSequence} on.
   *
   * @throws IllegalArgumentException if there is no such entry any more, or it has not come yet and
   *     is not the next one
   */
  long endOf(long fromSequence, int max) {
    if (fromSequence < oldestSequence() || fromSequence > sequence) {
      throw new IllegalArgumentException(
          "no such entry, fromSequence="
              + fromSequence
              + " oldest="
              + oldestSequence()
              + " next="
              + sequence);
    }
    return Math.min(sequence, fromSequence + max);
  }

  /** The slot of the entry with this number, which must still be here. */
  int slotOf(long entrySequence) {
    return (int) (entrySequence % keys.length);
  }

  /** The key in a slot that has been filled. */
  long keyAt(int slot) {
    return keys[slot];
  }

  /** The slot that the next {@link #append} will fill. */
  int nextSlot() {
    return next;
  }

  /** Whether the next {@link #append} of {@code key} makes some other key disappear. */
  boolean evicts(long key) {
    return sequence >= keys.length && keys[next] != key && find(keys[next]) == next;
  }

  /** Puts {@code key} into the next slot, in place of what is there. */
  void append(long key) {
    int slot = next;
    if (sequence >= keys.length) {
      int position = probe(keys[slot]);
      if (table[position] - 1 == slot) {
        remove(position);
      }
    }
    keys[slot] = key;
    table[probe(key)] = slot + 1;
    next = slot + 1 == keys.length ? 0 : slot + 1;
    sequence++;
  }

  /** Where {@code key} stands in the table, or the empty place where it would have to. */
  private int probe(long key) {
    int position = home(key);
    while (table[position] != 0 && keys[table[position] - 1] != key) {
      position = position + 1 & mask;
    }
    return position;
  }

  private void remove(int position) {
    int hole = position;
    for (int i = hole + 1 & mask; table[i] != 0; i = i + 1 & mask) {
      int distanceFromHome = i - home(keys[table[i] - 1]) & mask;
      if (distanceFromHome >= (i - hole & mask)) {
        table[hole] = table[i];
        hole = i;
      }
    }
    table[hole] = 0;
  }

  private int home(long key) {
    long h = (key ^ key >>> 32) * 0x9e3779b97f4a7c15L;
    return (int) (h >>> 32) & mask;
  }
}
