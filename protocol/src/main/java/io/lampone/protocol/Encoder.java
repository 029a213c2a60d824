package io.lampone.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes the binary formats: big-endian integers of fixed size, unsigned LEB128 lengths, and
 * length-prefixed byte strings. Grows as needed; not thread-safe.
 */
public final class Encoder {

  private byte[] buffer;
  private int size;

  public Encoder(int capacity) {
    this.buffer = new byte[Math.max(16, capacity)];
  }

  /** Writes the low 8 bits of {@code value}. */
  public Encoder u8(int value) {
    ensure(1);
    buffer[size++] = (byte) value;
    return this;
  }

  /** Writes 4 bytes, most significant first. */
  public Encoder i32(int value) {
    ensure(Integer.BYTES);
    for (int shift = Integer.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
      buffer[size++] = (byte) (value >>> shift);
    }
    return this;
  }

  /** Writes 8 bytes, most significant first. */
  public Encoder i64(long value) {
    ensure(Long.BYTES);
    for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
      buffer[size++] = (byte) (value >>> shift);
    }
    return this;
  }

  /** Writes an unsigned LEB128 number, 1 to 5 bytes. */
  public Encoder length(int value) {
    ensure(5);
    int rest = value;
    while ((rest & ~0x7f) != 0) {
      buffer[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[size++] = (byte) rest;
    return this;
  }

  /** Writes the length of {@code value}, then its bytes. */
  public Encoder bytes(Bytes value) {
    return bytes(value.unsafeArray());
  }

  /** Writes the length of {@code value}, then its UTF-8 bytes. */
  public Encoder text(String value) {
    return bytes(value.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes 1 or 0 in a byte. */
  public Encoder bool(boolean value) {
    return u8(value ? 1 : 0);
  }

  /** Writes both words of {@code slots}. */
  public Encoder slots(SlotSet slots) {
    return i64(slots.low()).i64(slots.high());
  }

  /** Writes table, row and family of {@code place}. */
  public Encoder place(RowFamily place) {
    return text(place.table()).bytes(place.row()).bytes(place.family());
  }

  /** Writes an encoded list unchanged: its count, then its items. */
  Encoder encoded(EncodedList<?> list) {
    length(list.size());
    return raw(list.bytes());
  }

  /** Returns the number of bytes written so far. */
  public int size() {
    return size;
  }

  /** Returns a copy of the bytes written so far. */
  public byte[] toByteArray() {
    return Arrays.copyOf(buffer, size);
  }

  private Encoder bytes(byte[] value) {
    length(value.length);
    return raw(value);
  }

  private Encoder raw(byte[] value) {
    ensure(value.length);
    System.arraycopy(value, 0, buffer, size, value.length);
    size += value.length;
    return this;
  }

  private void ensure(int more) {
    if (buffer.length - size < more) {
      buffer = Arrays.copyOf(buffer, Math.max(Math.addExact(size, more), buffer.length * 2));
    }
  }
}
