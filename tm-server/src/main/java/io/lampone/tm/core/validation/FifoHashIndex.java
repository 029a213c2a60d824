package io.lampone.tm.core.validation;

import java.security.SecureRandom;
import java.util.random.RandomGenerator;

/**
 * A fixed number of slots, filled round and round, and an open-addressing index from a key to the
 * newest slot that holds it. A slot holds a key and a few numbers that belong to it, next to each
 * other, because a slot is rarely in a cache and each place in memory that has to be waited for
 * costs more than everything else here.
 *
 * <p>A ring, because then the entry that has to go is always the oldest one of all, and not merely
 * the oldest of those that happen to share a bucket: what the owner forgets is bounded by age.
 *
 * <p>The index is an array of {@code int} that is filled to {@link #FILL_NUMERATOR}/{@link
 * #FILL_DENOMINATOR}, with linear probing, so that nearly every search stays within one cache line:
 *
 * <pre>
 *   31                         slotBits              0
 *   +-------------+------------+---------------------+
 *   | fingerprint |  distance  |      slot + 1       |       0: nothing here
 *   +-------------+------------+---------------------+
 * </pre>
 *
 * <p>The distance from the place where the search for the key begins takes 3 bits and is exact
 * below {@link #far}; the fingerprint is what is left. A search knows both, and a key that is not
 * there nearly always differs from those that it meets in one of them: then the slots, which lie
 * anywhere in memory, are not looked at. Slot numbers are stored plus one, so that emptiness is a
 * property of the index and every 64-bit key is an ordinary value.
 *
 * <p>An entry is taken out by closing the gap behind it, so that probes stay short however long the
 * process runs. Which entries may move up is told by their distances, again without their slots.
 *
 * <p>Keys arrive from clients, who may choose them so that they would meet. Where a key stands
 * therefore depends on two secret odd factors. No answer depends on them.
 */
final class FifoHashIndex {

  static final int MAX_CAPACITY = 1 << 28;

  /** More numbers in a slot would not fit into one array at the highest capacity. */
  static final int MAX_VALUES = 4;

  private static final int KEY_INTS = 2;

  /** Bits for distances at the highest capacity; a lower one leaves more, also for fingerprints. */
  private static final int LEAST_DISTANCE_BITS = 3;

  /** The index has room for so many entries ... */
  private static final int FILL_NUMERATOR = 3;

  /** ... where there is room for so many. */
  private static final int FILL_DENOMINATOR = 5;

  /** A table of a few entries needs an empty place, too. */
  private static final int LEAST_EMPTY = 2;

  /** A search looks at so many places at once; their distances are exact at every capacity. */
  private static final int WINDOW = 1 << LEAST_DISTANCE_BITS - 1;

  private final int capacity;

  /** Slot by slot: the high and the low half of the key, then what belongs to it. */
  private final int[] slots;

  private final int slotInts;
  private final int[] table;

  /** The last place from which a search can look at so many without coming to the end. */
  private final int lastWindow;

  private final int slotBits;
  private final int slotMask;
  private final int fingerprintMask;

  /** This distance from home or a longer one. */
  private final int far;

  private final long firstFactor;
  private final long secondFactor;

  /** The slot that is filled next; {@link #sequence} modulo the number of slots. */
  private int next;

  /** Entries appended since the beginning; the next one goes where the oldest one is. */
  private long sequence;

  /**
   * An empty index.
   *
   * @param values numbers that belong to a key
   */
  FifoHashIndex(int capacity, int values) {
    this(capacity, values, new SecureRandom());
  }

  FifoHashIndex(int capacity, int values, RandomGenerator random) {
    if (capacity < 1 || capacity > MAX_CAPACITY || values < 0 || values > MAX_VALUES) {
      throw new IllegalArgumentException(
          "size out of range, capacity=" + capacity + " values=" + values);
    }
    this.capacity = capacity;
    slotInts = KEY_INTS + values;
    slots = new int[capacity * slotInts];
    table = new int[(int) ((long) capacity * FILL_DENOMINATOR / FILL_NUMERATOR) + LEAST_EMPTY];
    lastWindow = table.length - WINDOW;
    slotBits = Integer.SIZE - Integer.numberOfLeadingZeros(capacity);
    slotMask = (1 << slotBits) - 1;
    int distanceBits = Math.max(LEAST_DISTANCE_BITS, (Integer.SIZE - slotBits) / 2);
    far = (1 << distanceBits) - 1;
    fingerprintMask = (int) (-1L << slotBits + distanceBits);
    firstFactor = random.nextLong() | 1;
    secondFactor = random.nextLong() | 1;
  }

  /** The newest slot of {@code key}, or -1. */
  int find(long key) {
    return findSince(key, 0);
  }

  /**
   * The newest slot of {@code key} if the number of its entry is not below {@code since}, or -1.
   * The number follows from the slot's place, so that nothing is read of older slots, which lie
   * anywhere in memory: an entry that may be the key's, and is too old, need not be told from
   * another one. It may be another's, though: so the search goes on.
   *
   * <p>How many places a search looks at is different each time, and a processor that has guessed
   * wrong throws away what it has asked memory for meanwhile. So the first places are looked at
   * without a branch: nearly every search ends there, and those of several keys overlap.
   */
  int findSince(long key, long since) {
    long mixed = mix(key);
    int home = homeOf(mixed);
    int wanted = (int) mixed & fingerprintMask;
    if (home > lastWindow) {
      return searchOn(key, since, home, wanted, 0);
    }
    int candidates = 0;
    int empty = 0;
    for (int i = 0; i < WINDOW; i++) {
      int entry = table[home + i];
      candidates |= oneIfZero((entry & ~slotMask) ^ (wanted + (i << slotBits))) << i;
      empty |= oneIfZero(entry) << i;
    }
    candidates &= (empty & -empty) - 1;
    while (candidates != 0) {
      int slot = slotIn(table[home + Integer.numberOfTrailingZeros(candidates)]);
      if (sequenceOf(slot) >= since && keyAt(slot) == key) {
        return slot;
      }
      candidates &= candidates - 1;
    }
    return empty != 0
        ? -1
        : searchOn(
            key,
            since,
            around(home + WINDOW),
            wanted + (Math.min(WINDOW, far) << slotBits),
            WINDOW);
  }

  /** Entries appended since the beginning: the number that the next one will have. */
  long sequence() {
    return sequence;
  }

  /** The number of the oldest entry that is still here; {@link #sequence} if there is none. */
  long oldestSequence() {
    return Math.max(0, sequence - capacity);
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
    return (int) (entrySequence % capacity);
  }

  /** The number of the entry in a slot that has been filled. */
  long sequenceOf(int slot) {
    return slot < next ? sequence - (next - slot) : sequence - next - (capacity - slot);
  }

  /** The key in a slot that has been filled. */
  long keyAt(int slot) {
    int at = slot * slotInts;
    return (long) slots[at] << Integer.SIZE | Integer.toUnsignedLong(slots[at + 1]);
  }

  /** A number that belongs to the key in a slot. */
  int valueAt(int slot, int value) {
    return slots[slot * slotInts + KEY_INTS + value];
  }

  /** Sets a number that belongs to the key in a slot; {@link #append} leaves it alone. */
  void setValueAt(int slot, int value, int number) {
    slots[slot * slotInts + KEY_INTS + value] = number;
  }

  /** Returns true if every slot is filled, so that the next {@link #append} overwrites one. */
  boolean isFull() {
    return sequence >= capacity;
  }

  /** The slot that the next {@link #append} will fill. */
  int nextSlot() {
    return next;
  }

  /**
   * Puts {@code key} into the next slot, in place of what is there; says whether some other key has
   * disappeared with that.
   */
  boolean append(long key) {
    int slot = next;
    boolean evicted = false;
    if (isFull()) {
      long old = keyAt(slot);
      int position = placeOf(slot, old);
      if (table[position] != 0) {
        remove(position);
        evicted = old != key;
      }
    }
    int at = slot * slotInts;
    slots[at] = (int) (key >>> Integer.SIZE);
    slots[at + 1] = (int) key;
    enter(key, slot);
    next = slot + 1 == capacity ? 0 : slot + 1;
    sequence++;
    return evicted;
  }

  /** Returns the position at which the search for {@code key} begins. */
  int home(long key) {
    return homeOf(mix(key));
  }

  /**
   * Reads what a search for {@code key} will read first. The value means nothing; but memory that
   * was asked for early, for several keys at a time, is there when it is needed.
   */
  int touch(long key) {
    return table[home(key)];
  }

  /** The same for the key that the append will throw out that comes after {@code others} others. */
  int touchOldest(int others) {
    int slot = next + others;
    return touch(keyAt(slot < capacity ? slot : slot % capacity));
  }

  private int searchOn(long key, long since, int from, int wantedThere, int distanceThere) {
    int position = from;
    int wanted = wantedThere;
    for (int distance = distanceThere; ; distance++) {
      int entry = table[position];
      if (entry == 0) {
        return -1;
      }
      if ((entry & ~slotMask) == wanted) {
        int slot = slotIn(entry);
        if (sequenceOf(slot) >= since && keyAt(slot) == key) {
          return slot;
        }
      }
      position = after(position);
      wanted += distance < far ? 1 << slotBits : 0;
    }
  }

  /** Returns the place of the entry of {@code slot}, which holds {@code key}; or an empty one. */
  private int placeOf(int slot, long key) {
    int position = home(key);
    while (table[position] != 0 && slotIn(table[position]) != slot) {
      position = after(position);
    }
    return position;
  }

  /** Makes {@code slot} what stands for {@code key}: in place of an older slot, if there is one. */
  private void enter(long key, int slot) {
    long mixed = mix(key);
    int position = homeOf(mixed);
    int wanted = (int) mixed & fingerprintMask;
    for (int distance = 0; ; distance++) {
      int entry = table[position];
      if (entry == 0 || (entry & ~slotMask) == wanted && keyAt(slotIn(entry)) == key) {
        table[position] = wanted | slot + 1;
        return;
      }
      position = after(position);
      wanted += distance < far ? 1 << slotBits : 0;
    }
  }

  /** Closes the gap: moves back whatever stands behind it and may not stand before its home. */
  private void remove(int position) {
    int hole = position;
    for (int i = after(hole); table[i] != 0; i = after(i)) {
      int gap = distance(hole, i);
      int distance = distanceAt(i);
      if (distance >= gap) {
        table[hole] = withDistance(table[i], distance - gap);
        hole = i;
      }
    }
    table[hole] = 0;
  }

  /** Returns the distance of the entry at {@code position} from its home. */
  private int distanceAt(int position) {
    int entry = table[position];
    int distance = entry >>> slotBits & far;
    return distance < far ? distance : distance(home(keyAt(slotIn(entry))), position);
  }

  private int withDistance(int entry, int distance) {
    return entry & ~(far << slotBits) | Math.min(distance, far) << slotBits;
  }

  /** The slot in an entry, or -1 if there is none. */
  private int slotIn(int entry) {
    return (entry & slotMask) - 1;
  }

  private int after(int position) {
    return position + 1 == table.length ? 0 : position + 1;
  }

  private int around(int position) {
    return position >= table.length ? position - table.length : position;
  }

  private static int oneIfZero(int number) {
    return (number | -number) >>> Integer.SIZE - 1 ^ 1;
  }

  private int distance(int from, int to) {
    return to >= from ? to - from : to - from + table.length;
  }

  /** The high half decides: a product of 32-bit numbers spreads it over a table of any length. */
  private int homeOf(long mixed) {
    return (int) ((mixed >>> 32) * table.length >>> 32);
  }

  /** A bijection: keys that differ stay different. */
  private long mix(long key) {
    long product = key * firstFactor;
    product = (product ^ product >>> 32) * secondFactor;
    return product ^ product >>> 29;
  }
}
