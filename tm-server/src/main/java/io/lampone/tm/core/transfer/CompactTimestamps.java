package io.lampone.tm.core.transfer;

import io.lampone.protocol.Timestamps;
import java.util.Arrays;

/**
 * Compresses a non-decreasing sequence of timestamps to 4 bytes each: the number of ticks since a
 * base that many neighbours share.
 *
 * <p>A new base begins when that number no longer fits, which takes more than 18 minutes. So there
 * are few: entries that span less time have two, and a month of entries has about 2,400. The base
 * of an entry is found by binary search, after a check of the newest one.
 *
 * <p>Entries are numbered from the beginning; the owner keeps the number and the 4 bytes.
 */
public final class CompactTimestamps {

  private static final int FIRST_BASES = 8;

  // A queue of bases, oldest first: bases[i] holds for the entries from firstSequences[i] up to
  // firstSequences[i + 1]. Bases of dropped entries are removed when capacity is exhausted.
  private long[] bases = new long[FIRST_BASES];
  private long[] firstSequences = new long[FIRST_BASES];
  private int baseCount;

  /**
   * Returns the timestamp of entry {@code sequence}; {@code ticks} is the result of {@link
   * #compress}.
   */
  public long expand(long sequence, int ticks) {
    int base = baseCount - 1;
    if (sequence < firstSequences[base]) {
      int found = Arrays.binarySearch(firstSequences, 0, base, sequence);
      base = found >= 0 ? found : -found - 2;
    }
    return bases[base] + Integer.toUnsignedLong(ticks) * Timestamps.TICK;
  }

  /**
   * Returns the ticks from the base to the timestamp of entry {@code sequence}, as an unsigned
   * number.
   *
   * @param timestamp a multiple of {@link Timestamps#TICK}, not below the previous one
   * @param oldestSequence the oldest entry that will still be expanded
   */
  public int compress(long sequence, long timestamp, long oldestSequence) {
    if (baseCount == 0 || timestamp - bases[baseCount - 1] >= Timestamps.TICK << Integer.SIZE) {
      addBase(sequence, timestamp, oldestSequence);
    }
    return (int) ((timestamp - bases[baseCount - 1]) / Timestamps.TICK);
  }

  /** Returns the number of bases not removed yet. */
  int baseCount() {
    return baseCount;
  }

  private void addBase(long sequence, long base, long oldestSequence) {
    if (baseCount == bases.length) {
      dropBases(oldestSequence);
      if (baseCount > bases.length / 2) {
        // Otherwise each call would soon find none to remove.
        bases = Arrays.copyOf(bases, 2 * bases.length);
        firstSequences = Arrays.copyOf(firstSequences, 2 * firstSequences.length);
      }
    }
    bases[baseCount] = base;
    firstSequences[baseCount] = sequence;
    baseCount++;
  }

  /** Removes the bases whose successor already holds for the oldest entry. */
  private void dropBases(long oldestSequence) {
    int dropped = 0;
    while (dropped + 1 < baseCount && firstSequences[dropped + 1] <= oldestSequence) {
      dropped++;
    }
    baseCount -= dropped;
    System.arraycopy(bases, dropped, bases, 0, baseCount);
    System.arraycopy(firstSequences, dropped, firstSequences, 0, baseCount);
  }
}
