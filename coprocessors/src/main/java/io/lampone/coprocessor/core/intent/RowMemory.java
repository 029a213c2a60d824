package io.lampone.coprocessor.core.intent;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.XxHash64;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Cache of per-row values, shared by all regions of a region server. Any entry may disappear at any
 * time: each row has one place, and a new entry replaces another row's.
 *
 * <p>An entry belongs to one opening of a region and is not used by the next: this server does not
 * know what happened to the row on another server in between. The key of an entry is the whole row
 * key and not a hash: a value used for the wrong row would be a lost update. Keys longer than
 * {@link #MAX_KEY_BYTES} are not cached.
 *
 * <p>Thread-safe: entries are replaced as a whole.
 *
 * @param <V> the cached value; immutable
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

  /** Returns the number of cached rows, by looking at every place. */
  int size() {
    int size = 0;
    for (int place = 0; place < entries.length(); place++) {
      size += entries.get(place) == null ? 0 : 1;
    }
    return size;
  }

  /** Returns the rows of a region that has just opened: none yet. */
  OfRegion regionOpened() {
    return new OfRegion();
  }

  /** Cached rows of one opening of one region. */
  final class OfRegion {

    /** Differs between openings, so that equal keys of two regions do not share a place. */
    private final long salt = openings.incrementAndGet() * 0x9E3779B97F4A7C15L;

    private OfRegion() {}

    /** Returns the value of a row; null if there is none. */
    @Nullable V get(Bytes row) {
      Entry<V> known = entries.get(place(row));
      return known != null && known.isOf(this, row) ? known.value() : null;
    }

    void put(Bytes row, V value) {
      if (row.length() <= MAX_KEY_BYTES) {
        entries.set(place(row), new Entry<>(this, row, value));
      }
    }

    /** Changes the value of a row, if there is one; safe against concurrent changes. */
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

    /** Frees the memory; the region has closed. */
    void closed() {
      for (int place = 0; place < entries.length(); place++) {
        Entry<V> known = entries.get(place);
        if (known != null && known.opening() == this) {
          entries.compareAndSet(place, known, null);
        }
      }
    }

    private int place(Bytes row) {
      return (int) hash(row) & entries.length() - 1;
    }

    /** Spreads numbers, too: of 4,000 consecutive ones {@link Bytes#hashCode} makes 721. */
    long hash(Bytes row) {
      return XxHash64.hash(row.unsafeArray()) ^ salt;
    }
  }
}
