package io.lampone.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An immutable byte string with value equality and unsigned lexicographic order, the order of rows,
 * families and qualifiers in HBase. Arrays are copied on the way in and out unless a method states
 * otherwise.
 */
public final class Bytes implements Comparable<Bytes> {

  /** The empty byte string. */
  public static final Bytes EMPTY = new Bytes(new byte[0]);

  private final byte[] array;
  private int hash; // 0 = not yet computed; racy single-check, every thread computes the same value

  private Bytes(byte[] array) {
    this.array = array;
  }

  /** Copies {@code array}. */
  public static Bytes of(byte... array) {
    return array.length == 0 ? EMPTY : new Bytes(array.clone());
  }

  /** Copies a part of {@code array}. */
  public static Bytes of(byte[] array, int offset, int length) {
    return length == 0 ? EMPTY : new Bytes(Arrays.copyOfRange(array, offset, offset + length));
  }

  /** The UTF-8 bytes of {@code text}. */
  public static Bytes utf8(String text) {
    return wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Takes ownership of {@code array}: the caller must not change it afterwards. */
  public static Bytes wrap(byte[] array) {
    return array.length == 0 ? EMPTY : new Bytes(array);
  }

  /** Returns a copy of the bytes. */
  public byte[] toArray() {
    return array.clone();
  }

  /** Returns the array itself, without a copy. The caller must not change it. */
  public byte[] unsafeArray() {
    return array;
  }

  /** Number of bytes. */
  public int length() {
    return array.length;
  }

  /** Returns true if the string is empty. */
  public boolean isEmpty() {
    return array.length == 0;
  }

  /** Decodes the bytes as UTF-8. */
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

  /** Prints printable ASCII unchanged, other bytes as {@code \xNN}, as the HBase shell does. */
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
