package io.lampone.coprocessor.core.intent;

import io.lampone.protocol.Bytes;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Something that a region server remembers of rows, for all of its regions together. It may forget
 * any row at any time: a row has one place, and drives out the other.
 *
 * <p>An entry belongs to one opening of a region, and is worth nothing to the next: what happened
 * to the row while it was elsewhere nobody here knows. A row is remembered by its whole key and not
 * by a hash: what is said of the wrong row would be a lost update. Longer keys than {@link
 * #MAX_KEY_BYTES} are not remembered.
 *
 * <p>Thread-safe: entries are replaced as a whole.
 *
 * @param <V> what is remembered; immutable
 */
final class RowMemory<V> {

  static final int MAX_KEY_BYTES = 128;

  private final AtomicReferenceArray<@Nullable Entry<V>> entries;

  /** Openings so far. */
  private final AtomicInteger openings = new AtomicInteger();

  private record Entry<V>(Object opening, Bytes row, V value) {
    boolean isOf(Object region, Bytes key) {
      return opening == region && row.equals(key);
    }
  }

  /**
   * @param places a power of two, and at least two
   */
  RowMemory(int places) {
    entries = new AtomicReferenceArray<>(places);
  }

  /** The rows of a region that has just opened: none yet. */
  OfRegion regionOpened() {
    return new OfRegion();
  }

  /** The rows of one opening of one region. */
  final class OfRegion {

    /** Differs between openings, so that equal keys of two regions do not share a place. */
    private final int salt = openings.incrementAndGet() * 0x85EBCA6B;

    private OfRegion() {}

    /** Returns the value remembered for a row; null if there is none. */
    @Nullable V get(Bytes row) {
      Entry<V> known = entries.get(place(row));
      return known != null && known.isOf(this, row) ? known.value() : null;
    }

    void put(Bytes row, V value) {
      if (row.length() <= MAX_KEY_BYTES) {
        entries.set(place(row), new Entry<>(this, row, value));
      }
    }

    /** Changes what is remembered of a row, if something is, also while others do. */
    void change(Bytes row, UnaryOperator<V> change) {
      int place = place(row);
      while (true) {
        Entry<V> known = entries.get(place);
        if (known == null || !known.isOf(this, row)) {
          return;
        }
        V changed = change.apply(known.value());
        if (changed == known.value()
            || entries.compareAndSet(place, known, new Entry<>(this, known.row(), changed))) {
          return;
        }
      }
    }

    void forget(Bytes row) {
      int place = place(row);
      Entry<V> known = entries.get(place);
      while (known != null && known.isOf(this, row) && !entries.compareAndSet(place, known, null)) {
        known = entries.get(place);
      }
    }

    /** Gives back the memory; the region has closed. */
    void closed() {
      for (int place = 0; place < entries.length(); place++) {
        Entry<V> known = entries.get(place);
        if (known != null && known.opening() == this) {
          entries.compareAndSet(place, known, null);
        }
      }
    }

    private int place(Bytes row) {
      int hash = (row.hashCode() ^ salt) * 0x9E3779B9;
      return hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(entries.length()));
    }
  }
}
