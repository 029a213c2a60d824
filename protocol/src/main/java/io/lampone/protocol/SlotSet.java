package io.lampone.protocol;

/**
 * A set of savepoint slots, 0..127, in two words: bit s of {@code low} stands for slot s below 64,
 * bit s - 64 of {@code high} for the others.
 */
public record SlotSet(long low, long high) {

  /** The empty set. */
  public static final SlotSet NONE = new SlotSet(0, 0);

  /** Returns {@code first} and all later slots; empty if {@code first} is above the last slot. */
  public static SlotSet from(int first) {
    return new SlotSet(
        first < Long.SIZE ? -1L << first : 0,
        first <= Long.SIZE ? -1L : first > Timestamps.MAX_SLOT ? 0 : -1L << (first - Long.SIZE));
  }

  /** Returns true if {@code slot} is in the set. */
  public boolean contains(int slot) {
    return slot < Long.SIZE ? (low >>> slot & 1) != 0 : (high >>> (slot - Long.SIZE) & 1) != 0;
  }

  /** Returns this set with {@code slot} added. */
  public SlotSet with(int slot) {
    if (slot < 0 || slot > Timestamps.MAX_SLOT) {
      throw new IllegalArgumentException("savepoint slot out of range, slot=" + slot);
    }
    return slot < Long.SIZE
        ? new SlotSet(low | 1L << slot, high)
        : new SlotSet(low, high | 1L << (slot - Long.SIZE));
  }

  /** Returns the union of both sets. */
  public SlotSet union(SlotSet other) {
    return new SlotSet(low | other.low, high | other.high);
  }

  /** Returns true if the set is empty. */
  public boolean isEmpty() {
    return (low | high) == 0;
  }
}
