package io.lampone.tm.core.oracle;

import io.lampone.protocol.Timestamps;
import java.util.concurrent.TimeUnit;

/**
 * Commit timestamps that have been issued and whose transactions have not ended, as far as clients
 * report it. Their watermark is LeanXcale's snapshot counter (paper 000, Table 1) and Centiman's
 * global watermark: every commit timestamp up to it has ended.
 *
 * <p>Nothing that is right or wrong depends on the watermark (ADR 89). So the oldest entries are
 * dropped when there are too many, and when a client has not reported for {@link #SILENCE_NANOS}.
 *
 * <p>Single-threaded.
 */
final class GapFreePrefix {

  /**
   * Age at which a commit timestamp is taken for ended: a commit takes milliseconds, and no client
   * shall hold back the snapshots of others for longer. Ticks are nanoseconds.
   */
  static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  static final int CAPACITY = 1 << 18;

  private static final int INITIAL_CAPACITY = 1 << 10;

  /** Marks an entry as ended; timestamps are positive. */
  private static final long ENDED = Long.MIN_VALUE;

  /** Ring of timestamps in ascending order, ended ones with {@link #ENDED}; a power of two. */
  private long[] ring = new long[INITIAL_CAPACITY];

  /** Positions of the oldest entry, and after the newest one; they only grow. */
  private long head;

  private long tail;

  /** Adds a commit timestamp, which is above all others. */
  void issued(long timestamp) {
    if (tail - head == ring.length) {
      if (ring.length == CAPACITY) {
        head++;
      } else {
        grow();
      }
    }
    ring[at(tail++)] = timestamp;
  }

  /** Records that a transaction has ended; an unknown timestamp is ignored. */
  void ended(long timestamp) {
    long low = head;
    long high = tail - 1;
    while (low <= high) {
      long middle = low + high >>> 1;
      long found = ring[at(middle)] & ~ENDED;
      if (found == timestamp) {
        ring[at(middle)] |= ENDED;
        return;
      }
      if (found < timestamp) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
  }

  /**
   * Returns the watermark.
   *
   * @param last the last timestamp issued for any purpose
   */
  long watermark(long last) {
    while (head < tail) {
      long oldest = ring[at(head)];
      if (oldest > 0 && last - oldest <= SILENCE_NANOS) {
        return oldest - Timestamps.TICK;
      }
      head++;
    }
    return last;
  }

  private int at(long position) {
    return (int) position & ring.length - 1;
  }

  private void grow() {
    long[] larger = new long[ring.length * 2];
    int first = at(head);
    int toEnd = ring.length - first;
    System.arraycopy(ring, first, larger, 0, toEnd);
    System.arraycopy(ring, 0, larger, toEnd, first);
    tail -= head;
    head = 0;
    ring = larger;
  }
}
