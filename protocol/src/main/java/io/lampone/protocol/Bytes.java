package io.lampone.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An immutable string of bytes with value equality and unsigned lexicographic order, as HBase
 * orders rows, families and qualifiers. The array goes in and comes out by copy, except where a
 * method says otherwise.
 */
public final class Bytes implements Comparable<Bytes> {

  /** The string of no bytes. */
  public static final Bytes EMPTY = new Bytes(new byte[0]);

  private final byte[] array;
  private int hash; // 0 = not yet computed; racy single-check, every thread computes the same value

  private Bytes(byte[] array) {
    this.array = array;
  }

  /** A copy of {@code array}. */
  public static Bytes of(byte... array) {
    return array.length == 0 ? EMPTY : new Bytes(array.clone());
  }

  /** A copy of a part of {@code array}. */
  public static Bytes of(byte[] array, int offset, int length) {
    return length == 0 ? EMPTY : new Bytes(Arrays.copyOfRange(array, offset, offset + length));
  }

  /** The UTF-8 bytes of {@code text}. */
  public static Bytes utf8(String text) {
    return wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Takes ownership of {@code array}: the caller must never change it again. */
  public static Bytes wrap(byte[] array) {
    return array.length == 0 ? EMPTY : new Bytes(array);
  }

  /** A copy of the bytes. */
  public byte[] toArray() {
    return array.clone();
  }

  /** The bytes themselves, for callers that only read and that copying would cost too much. */
  public byte[] unsafeArray() {
    return array;
  }

  /** Number of bytes. */
  public int length() {
    return array.length;
  }

  /** Returns true if there are no bytes. */
  public boolean isEmpty() {
    return array.length == 0;
  }

  /** The bytes read as UTF-8. */
  public String toUtf8() {
    return new String(array, StandardCharsets.UTF_8);
  }

  /** Returns true if these bytes begin with {@code prefix}. */
  public boolean startsWith(Bytes prefix) {
    return array.length >= prefix.array.length
        && Arrays.equals(array, 0, prefix.array.length, prefix.array, 0, prefix.array.length);
  }

  @Override
  public int compareTo(Bytes other) {
    return Arrays.compareUnsigned(array, other.array);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes && Arrays.equals(array, ((Bytes) other).array);
  }

  @Override
  public int hashCode() {
    int h = hash;
    if (h == 0) {
      h = Arrays.hashCode(array);
      hash = h;
    }
    return h;
  }

  /** Printable ASCII as it is, everything else as {@code \xNN}, as in the HBase shell. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(array.length);
    for (byte b : array) {
      int c = b & 0xff;
      if (c >= ' ' && c <= '~' && c != '\\') {
        text.append((char) c);
      } else {
        text.append(String.format("\\x%02X", c));
      }
    }
    return text.toString();
  }
}
