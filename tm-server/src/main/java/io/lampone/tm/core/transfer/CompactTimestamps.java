package io.lampone.tm.core.transfer;

import io.lampone.protocol.Timestamps;
import java.util.Arrays;

/**
 * Makes 4 bytes of each timestamp of a sequence that does not decrease: the number of ticks since a
 * base that many neighbours share.
 *
 * <p>A new base begins when that number no longer fits, which takes more than 18 minutes. So there
 * are few: entries that go back less have two, and a month of them has about 2,400. They are found
 * by binary search, after a look at the newest one.
 *
 * <p>Entries are numbered since the beginning; the owner keeps the number and the 4 bytes.
 */
public final class CompactTimestamps {

  private static final int FIRST_BASES = 8;

  // A queue of bases, oldest first: bases[i] holds for the entries from firstSequences[i] on, until
  // firstSequences[i + 1]. Those of entries that are gone are dropped when there is no room.
  private long[] bases = new long[FIRST_BASES];
  private long[] firstSequences = new long[FIRST_BASES];
  private int baseCount;

  /** The timestamp of entry {@code sequence}, of which {@link #compress} has made {@code ticks}. */
  public long expand(long sequence, int ticks) {
    int base = baseCount - 1;
    if (sequence < firstSequences[base]) {
      int found = Arrays.binarySearch(firstSequences, 0, base, sequence);
      base = found >= 0 ? found : -found - 2;
    }
    return bases[base] + Integer.toUnsignedLong(ticks) * Timestamps.TICK;
  }

  /**
   * Ticks from the base to the timestamp of entry {@code sequence}, as an unsigned number.
   *
   * @param timestamp a multiple of {@link Timestamps#TICK}, not below the one before
   * @param oldestSequence nobody will ask for older entries any more
   */
  public int compress(long sequence, long timestamp, long oldestSequence) {
    if (baseCount == 0 || timestamp - bases[baseCount - 1] >= Timestamps.TICK << Integer.SIZE) {
      addBase(sequence, timestamp, oldestSequence);
    }
    return (int) ((timestamp - bases[baseCount - 1]) / Timestamps.TICK);
  }

  /** Bases in use or not dropped yet. */
  int baseCount() {
    return baseCount;
  }

  private void addBase(long sequence, long base, long oldestSequence) {
    if (baseCount == bases.length) {
      dropBases(oldestSequence);
      if (baseCount > bases.length / 2) {
        // Otherwise there would soon be none to drop each time.
        bases = Arrays.copyOf(bases, 2 * bases.length);
        firstSequences = Arrays.copyOf(firstSequences, 2 * firstSequences.length);
      }
    }
    bases[baseCount] = base;
    firstSequences[baseCount] = sequence;
    baseCount++;
  }

  /** Drops the bases of which the next one holds for the oldest entry already. */
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
