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
 * A list that stays as it is encoded, and of which each item is made when it is asked for: a stored
 * list may hold far more items than are wanted at a time. Its bytes have been checked. Going
 * through it in order takes linear time and memory for one item; {@link #get} takes linear time.
 */
final class EncodedList<T> extends AbstractList<T> {

  private static final int FEW = 8;

  private final byte[] bytes;
  private final int size;
  private final Function<Decoder, T> item;

  /** Made at the first look-up in a longer list; each thread would make the same. */
  private volatile @Nullable Set<T> index;

  private EncodedList(byte[] bytes, int size, Function<Decoder, T> item) {
    this.bytes = bytes;
    this.size = size;
    this.item = item;
  }

  /**
   * Takes a list out of the input, of which it keeps a copy.
   *
   * @param skip passes over one item, and checks it
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

  /** A list without items that is none of {@link List#of}. */
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

  /** Takes constant time when it is asked again, so that a row of tombstones is read in linear. */
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
    return super.hashCode(); // of the items, in order
  }
}
