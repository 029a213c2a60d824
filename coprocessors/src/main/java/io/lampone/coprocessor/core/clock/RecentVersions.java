package io.lampone.coprocessor.core.clock;

import io.lampone.protocol.Bytes;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Highest version drawn for each row of one region. Versions committed at birth have no transaction
 * cell and may be in any column of a row. This cache saves a writer that holds the row's lock the
 * search for them, and often also a reader that needs the row's version.
 *
 * <p>Rows share slots. A slot holds the version of the row with its highest one, and the highest
 * version of all other rows together. So the result for a row may be too high, also for rows with
 * equal fingerprints and after a write that was rolled back, and is never too low.
 */
public final class RecentVersions {

  /** Result of {@link #bornAbove} if only the cells of the row can tell. */
  public static final long UNKNOWN = -1;

  /** Slots; a power of two. */
  private static final int SLOTS = 4096;

  private static final int SLOT_SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(SLOTS);

  /** FNV-1a, with a final step that spreads the hash into the high bits. */
  private static final long FINGERPRINT_START = 0xCBF29CE484222325L;

  private static final long FINGERPRINT_FACTOR = 0x100000001B3L;
  private static final long FINGERPRINT_FINISH = 0x9E3779B97F4A7C15L;

  /**
   * A slot.
   *
   * @param row fingerprint of the row with the highest version
   * @param version that version
   * @param others upper bound for all other rows of the slot; not above {@code version}
   */
  private record Slot(long row, long version, long others) {}

  /** Null = nothing drawn yet. Replaced by compare-and-set; versions in it only grow. */
  private final AtomicReferenceArray<@Nullable Slot> slots = new AtomicReferenceArray<>(SLOTS);

  /**
   * Tick above everything that was drawn for the region before it was opened here. {@link
   * Long#MAX_VALUE} until it is known; until then nothing is drawn.
   */
  private volatile long openedBelow = Long.MAX_VALUE;

  /** Sets the tick that the transaction manager issued after the region was opened. */
  public void openedBelow(long tick) {
    openedBelow = tick;
  }

  /** Returns the tick; {@link Long#MAX_VALUE} until it is known. */
  public long openedBelow() {
    return openedBelow;
  }

  /**
   * Checks whether a request may have been sent before the region was opened here, i.e. whether its
   * session knew no timestamp as new as the opening. Called by requests that draw, so the opening's
   * tick is known.
   *
   * @return the tick that the session must know; 0 if it does
   */
  public long openingUnknownTo(long known) {
    long opened = openedBelow;
    return opened == Long.MAX_VALUE || known >= opened ? 0 : opened;
  }

  /** Records a draw, under the row's lock. */
  public void drawn(Bytes row, long version) {
    long fingerprint = fingerprint(row);
    int index = index(fingerprint);
    while (true) {
      Slot slot = slots.get(index);
      // Rows under different locks share a slot, so versions may arrive out of order.
      if (slots.compareAndSet(index, slot, with(slot, fingerprint, version))) {
        return;
      }
    }
  }

  private static Slot with(@Nullable Slot slot, long row, long version) {
    if (slot == null) {
      return new Slot(row, version, 0);
    }
    if (version > slot.version()) {
      return new Slot(row, version, row == slot.row() ? slot.others() : slot.version());
    }
    return row == slot.row() || version <= slot.others()
        ? slot
        : new Slot(slot.row(), slot.version(), version);
  }

  /**
   * Records that the version drawn last for a row may never become visible: from now on only its
   * cells count.
   */
  public void doubt(Bytes row) {
    long fingerprint = fingerprint(row);
    int index = index(fingerprint);
    Slot slot = slots.get(index);
    if (slot != null && slot.row() == fingerprint) {
      // Assigned to no row; a concurrent change of the slot makes the CAS fail, and is kept.
      slots.compareAndSet(index, slot, new Slot(~fingerprint, slot.version(), slot.version()));
    }
  }

  /**
   * Returns the highest version of {@code row} committed at birth, if it is above {@code
   * timestamp}; 0 if there is none above it; {@link #UNKNOWN} if that is unknown.
   */
  public long bornAbove(Bytes row, long timestamp) {
    long fingerprint = fingerprint(row);
    Slot slot = slots.get(index(fingerprint));
    if (slot != null && slot.row() == fingerprint) {
      return slot.version() > timestamp ? slot.version() : 0;
    }
    boolean none = timestamp >= openedBelow && (slot == null || slot.others() <= timestamp);
    return none ? 0 : UNKNOWN;
  }

  /**
   * Returns an upper bound of the versions of {@code row} committed at birth, for tests; {@link
   * #UNKNOWN} before the first tick.
   */
  public long bornUpTo(Bytes row) {
    long fingerprint = fingerprint(row);
    Slot slot = slots.get(index(fingerprint));
    if (slot != null && slot.row() == fingerprint) {
      return slot.version();
    }
    long opened = openedBelow;
    if (opened == Long.MAX_VALUE) {
      return UNKNOWN;
    }
    return slot == null ? opened : Math.max(opened, slot.others());
  }

  private static int index(long fingerprint) {
    return (int) (fingerprint >>> SLOT_SHIFT);
  }

  private static long fingerprint(Bytes row) {
    long hash = FINGERPRINT_START;
    for (byte b : row.unsafeArray()) {
      hash = (hash ^ (b & 0xFF)) * FINGERPRINT_FACTOR;
    }
    hash *= FINGERPRINT_FINISH;
    return hash ^ hash >>> Integer.SIZE;
  }
}
