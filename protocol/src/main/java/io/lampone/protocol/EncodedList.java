package io.lampone.protocol;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A list that stays encoded and decodes an item when it is accessed, because a stored list may hold
 * far more items than are needed at a time. The encoding has been checked. Iteration takes linear
 * time and memory for one item; {@link #get} takes linear time.
 */
final class EncodedList<T> extends AbstractList<T> {

  private static final int FEW = 8;

  private final byte[] bytes;
  private final int size;
  private final Function<Decoder, T> item;

  /** Created by the first look-up in a longer list; every thread computes the same value. */
  private volatile @Nullable Set<T> index;

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
  static <T> List<T> read(
      Decoder in, int minimumBytes, Consumer<Decoder> skip, Function<Decoder, T> item) {
    int size = in.count(minimumBytes);
    int from = in.position();
    for (int left = size; left > 0; left--) {
      skip.accept(in);
    }
    return size == 0 ? List.of() : new EncodedList<>(in.copy(from, in.position()), size, item);
  }

  /** Returns an empty list that is not identical with {@link List#of()}. */
  static <T> EncodedList<T> empty() {
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

  /** Takes constant time from the second call on: reading a row of tombstones is linear. */
  @Override
  public boolean contains(Object wanted) {
    if (size <= FEW) {
      return super.contains(wanted);
    }
    Set<T> known = index;
    if (known == null) {
      known = new HashSet<>(this);
      index = known;
    }
    return known.contains(wanted);
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
