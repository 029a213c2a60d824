package io.lampone.coprocessor.core;

import io.lampone.protocol.Bytes;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The highest version that was drawn for each row of one region, remembered roughly: several rows
 * share a number, so what it says may be too high and is never too low. It spares a writer the
 * search for versions that are committed at birth, which have no transaction cell and may stand in
 * any column of a row.
 */
public final class RecentVersions {

  /** Numbers; a power of two. */
  private static final int STRIPES = 4096;

  private final AtomicLongArray highest = new AtomicLongArray(STRIPES);

  /**
   * Everything that was drawn for the region before it was opened here is below this tick. {@link
   * Long#MAX_VALUE} until one is known.
   */
  private volatile long openedBelow = Long.MAX_VALUE;

  /** Tells the tick, which the transaction manager has issued after the region was opened. */
  void openedBelow(long tick) {
    openedBelow = tick;
  }

  /** Takes note of a draw, under the row's lock. */
  public void drawn(Bytes row, long version) {
    // Rows under different locks share a number: it must not go back.
    highest.accumulateAndGet(stripe(row), version, Math::max);
  }

  /** Whether {@code row} may hold a version that is committed at birth, above {@code timestamp}. */
  public boolean mayHoldAbove(Bytes row, long timestamp) {
    return timestamp < openedBelow || highest.get(stripe(row)) > timestamp;
  }

  private static int stripe(Bytes row) {
    int hash = row.hashCode() * 0x9E3779B9;
    return hash >>> 20;
  }
}
