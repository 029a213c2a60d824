package io.lampone.protocol;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A list that stays encoded and decodes an item when it is accessed, because a stored list may hold
 * far more items than are needed at a time. The encoding has been checked. Iteration takes linear
 * time and memory for one item; {@link #get} takes linear time.
 */
final class EncodedList<T extends Comparable<? super T>> extends AbstractList<T> {

  private static final int FEW = 8;

  private final byte[] bytes;
  private final int size;
  private final Function<Decoder, T> item;

  /**
   * Positions of the items, in their order; created by the first look-up in a longer list, and the
   * same for every thread. A hostile writer may have chosen the items, and could choose their
   * hashes.
   */
  private volatile int @Nullable [] index;

  private record At<T>(T item, int position) {}

  private EncodedList(byte[] bytes, int size, Function<Decoder, T> item) {
    this.bytes = bytes;
    this.size = size;
    this.item = item;
  }

  /**
   * Reads a list from the input and keeps a copy of its bytes.
   *
   * @param skip skips one item and checks it
   */
  static <T extends Comparable<? super T>> List<T> read(
      Decoder in, int minimumBytes, Consumer<Decoder> skip, Function<Decoder, T> item) {
    int size = in.count(minimumBytes);
    int from = in.position();
    for (int left = size; left > 0; left--) {
      skip.accept(in);
    }
    return size == 0 ? List.of() : new EncodedList<>(in.copy(from, in.position()), size, item);
  }

  /** Returns an empty list that is not identical with {@link List#of()}. */
  static <T extends Comparable<? super T>> EncodedList<T> empty() {
    return new EncodedList<>(
        new byte[0],
        0,
        in -> {
          throw new NoSuchElementException();
        });
  }

  byte[] bytes() {
    return bytes;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public T get(int index) {
    if (index < 0 || index >= size) {
      throw new IndexOutOfBoundsException("index=" + index + " size=" + size);
    }
    Iterator<T> items = iterator();
    for (int i = 0; i < index; i++) {
      items.next();
    }
    return items.next();
  }

  /** Takes logarithmic time from the second call on. */
  @Override
  @SuppressWarnings("unchecked")
  public boolean contains(Object wanted) {
    if (size <= FEW) {
      return super.contains(wanted);
    }
    int[] positions = index;
    if (positions == null) {
      positions = sorted();
      index = positions;
    }
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int from = positions[middle];
      int order = item.apply(new Decoder(bytes, from, bytes.length - from)).compareTo((T) wanted);
      if (order == 0) {
        return true;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return false;
  }

  private int[] sorted() {
    List<At<T>> items = new ArrayList<>(size);
    Decoder in = new Decoder(bytes);
    for (int left = size; left > 0; left--) {
      int position = in.position();
      items.add(new At<>(item.apply(in), position));
    }
    items.sort(Comparator.comparing(At::item));
    return items.stream().mapToInt(At::position).toArray();
  }

  @Override
  public Iterator<T> iterator() {
    return new Iterator<>() {
      private final Decoder in = new Decoder(bytes);
      private int left = size;

      @Override
      public boolean hasNext() {
        return left > 0;
      }

      @Override
      public T next() {
        if (left == 0) {
          throw new NoSuchElementException();
        }
        left--;
        return item.apply(in);
      }
    };
  }

  @Override
  public boolean equals(Object other) {
    if (other instanceof EncodedList<?> same) {
      return size == same.size && Arrays.equals(bytes, same.bytes);
    }
    if (!(other instanceof List<?> list) || list.size() != size) {
      return false;
    }
    Iterator<?> others = list.iterator();
    for (T mine : this) {
      if (!others.hasNext() || !mine.equals(others.next())) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int hashCode() {
    return super.hashCode(); // hash of the items, in order
  }
}
