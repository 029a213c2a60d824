package io.lampone.coprocessor.core.clock;

import io.lampone.protocol.Bytes;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The highest version that was drawn for each row of one region. Versions that are committed at
 * birth have no transaction cell and may stand in any column of a row: this spares a writer that
 * holds the row's lock the search for them, and often a reader that wants the row's version.
 *
 * <p>Rows share a slot. Of the row that drew last there the version is known, of all others
 * together the highest one: so what is said of a row may be too high, and is never too low. The
 * same holds where two rows have one fingerprint, and after a write that was rolled back.
 */
public final class RecentVersions {

  /** {@link #bornAbove}: only the cells of the row can tell. */
  public static final long UNKNOWN = -1;

  /** Slots; a power of two. */
  private static final int SLOTS = 4096;

  private static final int SLOT_SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(SLOTS);

  /** FNV-1a, and a finish that spreads it into the high bits. */
  private static final long FINGERPRINT_START = 0xCBF29CE484222325L;

  private static final long FINGERPRINT_FACTOR = 0x100000001B3L;
  private static final long FINGERPRINT_FINISH = 0x9E3779B97F4A7C15L;

  /**
   * A slot.
   *
   * @param row fingerprint of the row that has the highest version
   * @param version that version
   * @param others no other row of the slot has a higher one; not above {@code version}
   */
  private record Slot(long row, long version, long others) {}

  /** Null = nothing drawn yet. Replaced by compare-and-set; versions in it only grow. */
  private final AtomicReferenceArray<@Nullable Slot> slots = new AtomicReferenceArray<>(SLOTS);

  /**
   * Everything that was drawn for the region before it was opened here is below this tick. {@link
   * Long#MAX_VALUE} until one is known, and until then nothing is drawn.
   */
  private volatile long openedBelow = Long.MAX_VALUE;

  /** Sets the tick that the transaction manager issued after the region was opened. */
  public void openedBelow(long tick) {
    openedBelow = tick;
  }

  /**
   * Checks whether a request may have been sent before the region was opened here: its session knew
   * of no timestamp as new as the opening. Called by requests that draw, so the opening's tick is
   * known.
   *
   * @return the tick that the session has to know of; 0 if it knows enough
   */
  public long openingUnknownTo(long known) {
    long opened = openedBelow;
    return opened == Long.MAX_VALUE || known >= opened ? 0 : opened;
  }

  /** Takes note of a draw, under the row's lock. */
  public void drawn(Bytes row, long version) {
    long fingerprint = fingerprint(row);
    int index = index(fingerprint);
    while (true) {
      Slot slot = slots.get(index);
      // Rows under different locks share a slot, so versions do not come in their order.
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
   * Notes that the version drawn last for a row may never be visible: from now on only its cells
   * count.
   */
  public void doubt(Bytes row) {
    long fingerprint = fingerprint(row);
    int index = index(fingerprint);
    Slot slot = slots.get(index);
    if (slot != null && slot.row() == fingerprint) {
      // Nobody's, as far as this row goes; if somebody has drawn meanwhile that is known anyway.
      slots.compareAndSet(index, slot, new Slot(~fingerprint, slot.version(), slot.version()));
    }
  }

  /**
   * The highest version of {@code row} that is committed at birth, if it is above {@code
   * timestamp}; 0 if there is none above it; {@link #UNKNOWN} if that is not known.
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
   * No version of {@code row} that is committed at birth is above this; for tests. {@link #UNKNOWN}
   * before the first tick.
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
