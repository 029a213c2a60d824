package io.lampone.tm.core.validation;

import java.security.SecureRandom;
import java.util.random.RandomGenerator;

/**
 * A ring of slots, and an open-addressing index from a key to the newest slot that holds it. A slot
 * holds a key and a few values in adjacent memory, because a slot is rarely in a cache and cache
 * misses dominate the cost.
 *
 * <p>With a ring, the evicted entry is always the oldest one of all, and not only the oldest of a
 * bucket: what the owner forgets is bounded by age.
 *
 * <p>The index is an array of {@code int} with a load factor of {@link #FILL_NUMERATOR}/{@link
 * #FILL_DENOMINATOR} and linear probing, so that nearly every search stays within one cache line:
 *
 * <pre>
 *   31                         slotBits              0
 *   +-------------+------------+---------------------+
 *   | fingerprint |  distance  |      slot + 1       |       0: empty
 *   +-------------+------------+---------------------+
 * </pre>
 *
 * <p>The distance from the key's home position takes at least 3 bits and is exact below {@link
 * #far}; the fingerprint takes the remaining bits. A search knows both. The entries that it meets
 * for an absent key nearly always differ in one of them, so that their slots, which are scattered
 * in memory, need not be read. Slot numbers are stored plus one, so that 0 marks an empty entry and
 * every 64-bit key is legal.
 *
 * <p>Removal closes the gap behind the entry, so that probe sequences stay short however long the
 * process runs. The distances determine which entries may move, again without reading their slots.
 *
 * <p>Clients choose the keys and could provoke collisions. The home position of a key therefore
 * depends on two secret odd factors. No answer depends on them.
 */
final class FifoHashIndex {

  static final int MAX_CAPACITY = 1 << 28;

  /** Maximum values per slot: with more, one array could not hold the maximum capacity. */
  static final int MAX_VALUES = 4;

  private static final int KEY_INTS = 2;

  /** Bits for the distance at maximum capacity; a lower capacity leaves more for both fields. */
  private static final int LEAST_DISTANCE_BITS = 3;

  /** Load factor of the index: numerator ... */
  private static final int FILL_NUMERATOR = 3;

  /** ... and denominator. */
  private static final int FILL_DENOMINATOR = 5;

  /** Even a tiny index needs empty positions. */
  private static final int LEAST_EMPTY = 2;

  /** Positions that a search examines at once; their distances are exact at every capacity. */
  private static final int WINDOW = 1 << LEAST_DISTANCE_BITS - 1;

  private final int capacity;

  /** Slot by slot: the high and the low half of the key, then its values. */
  private final int[] slots;

  private final int slotInts;
  private final int[] table;

  /** The last position from which a window does not cross the end of the index. */
  private final int lastWindow;

  private final int slotBits;
  private final int slotMask;
  private final int fingerprintMask;

  /** Stands for this distance from home or a longer one. */
  private final int far;

  private final long firstFactor;
  private final long secondFactor;

  /** The slot to fill next; {@link #sequence} modulo the number of slots. */
  private int next;

  /** Number of entries ever appended; the next one replaces the oldest. */
  private long sequence;

  /**
   * Creates an empty index.
   *
   * @param values number of values of a key
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

  /** Returns the newest slot of {@code key}, or -1. */
  int find(long key) {
    return findSince(key, 0);
  }

  /**
   * Returns the newest slot of {@code key} if its sequence number is not below {@code since}, or
   * -1. The number follows from the slot's position, so older slots are not read: an entry that
   * matches but is too old need not be verified. It may belong to another key, so the search
   * continues.
   *
   * <p>The number of positions that a search examines varies, and a mispredicted branch discards
   * the memory accesses in flight. The first positions are therefore examined without a branch:
   * nearly every search ends there, and searches of several keys overlap.
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

  /** Returns the number of entries ever appended: the number of the next one. */
  long sequence() {
    return sequence;
  }

  /** Returns the number of the oldest entry still present; {@link #sequence} if there is none. */
  long oldestSequence() {
    return Math.max(0, sequence - capacity);
  }

  /**
   * Returns the number after the last one of at most {@code max} entries from {@code fromSequence}
   * on.
   *
   * @throws IllegalArgumentException if {@code fromSequence} has been evicted, or is above the next
   *     number
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

  /** Returns the slot of the entry with this number, which must be present. */
  int slotOf(long entrySequence) {
    return (int) (entrySequence % capacity);
  }

  /** Returns the number of the entry in a filled slot. */
  long sequenceOf(int slot) {
    return slot < next ? sequence - (next - slot) : sequence - next - (capacity - slot);
  }

  /** Returns the key in a filled slot. */
  long keyAt(int slot) {
    int at = slot * slotInts;
    return (long) slots[at] << Integer.SIZE | Integer.toUnsignedLong(slots[at + 1]);
  }

  /** Returns a value of the key in a slot. */
  int valueAt(int slot, int value) {
    return slots[slot * slotInts + KEY_INTS + value];
  }

  /** Sets a value of the key in a slot; {@link #append} does not change values. */
  void setValueAt(int slot, int value, int number) {
    slots[slot * slotInts + KEY_INTS + value] = number;
  }

  /** Returns true if every slot is filled, so that the next {@link #append} overwrites one. */
  boolean isFull() {
    return sequence >= capacity;
  }

  /** Returns the slot that the next {@link #append} will fill. */
  int nextSlot() {
    return next;
  }

  /**
   * Puts {@code key} into the next slot, replacing its content. Returns true if this evicts another
   * key from the index.
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
   * Reads the memory that a search for {@code key} will read first, as a prefetch for several keys
   * at a time. The result is meaningless.
   */
  int touch(long key) {
    return table[home(key)];
  }

  /** Like {@link #touch} for the key that the append after {@code others} others will evict. */
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

  /**
   * Returns the position of the entry of {@code slot}, which holds {@code key}; or an empty one.
   */
  private int placeOf(int slot, long key) {
    int position = home(key);
    while (table[position] != 0 && slotIn(table[position]) != slot) {
      position = after(position);
    }
    return position;
  }

  /** Points the entry of {@code key} to {@code slot}; replaces an older slot of the key. */
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

  /** Closes the gap: moves back the following entries as far as their home positions permit. */
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

  /** Returns the slot in an entry, or -1 if it is empty. */
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

  /** Uses the high half: a product of 32-bit numbers maps it to an index of any length. */
  private int homeOf(long mixed) {
    return (int) ((mixed >>> 32) * table.length >>> 32);
  }

  /** Mixes by a bijection, so that distinct keys stay distinct. */
  private long mix(long key) {
    long product = key * firstFactor;
    product = (product ^ product >>> 32) * secondFactor;
    return product ^ product >>> 29;
  }
}
