package io.lampone.protocol;

import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.request.TooLargeException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Decodes what {@link Encoder} wrote. Every method throws {@link MalformedException} if the input
 * ends too early or holds an illegal value; no length is trusted before it has been compared with
 * the number of bytes left. A decoder with a budget throws {@link TooLargeException} once the
 * decoded objects would take more memory than the budget, not counting the bytes themselves.
 */
public final class Decoder {

  private final byte[] buffer;
  private final int end;
  private int position;

  /** Bytes of memory that the objects still to be decoded may take. */
  private long budget;

  public Decoder(byte[] buffer) {
    this(buffer, 0, buffer.length);
  }

  public Decoder(byte[] buffer, int offset, int length) {
    this(buffer, offset, length, Long.MAX_VALUE);
  }

  private Decoder(byte[] buffer, int offset, int length, long budget) {
    this.buffer = buffer;
    this.position = offset;
    this.end = offset + length;
    this.budget = budget;
  }

  /** Returns a decoder of a request, with a budget of {@link RequestLimits#MAX_DECODED_BYTES}. */
  public static Decoder ofRequest(byte[] buffer) {
    return new Decoder(buffer, 0, buffer.length, RequestLimits.MAX_DECODED_BYTES);
  }

  /** Reads a byte, 0..255. */
  public int u8() {
    require(1);
    return buffer[position++] & 0xff;
  }

  /** Reads 4 bytes, most significant first. */
  public int i32() {
    require(Integer.BYTES);
    int value = 0;
    for (int i = 0; i < Integer.BYTES; i++) {
      value = value << Byte.SIZE | buffer[position++] & 0xff;
    }
    return value;
  }

  /** Reads 8 bytes, most significant first. */
  public long i64() {
    require(Long.BYTES);
    long value = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      value = value << Byte.SIZE | buffer[position++] & 0xff;
    }
    return value;
  }

  /** Reads a length written by {@link Encoder#length}; never negative. */
  public int length() {
    int value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      int b = u8();
      value |= (b & 0x7f) << shift;
      if ((b & 0x80) == 0) {
        if (value < 0) {
          break;
        }
        return value;
      }
    }
    throw new MalformedException("bad length, position=" + position);
  }

  /**
   * Reads a count of items of at least {@code minimumBytes} each. Refuses a count that the bytes
   * left cannot hold, before anything is allocated for it.
   */
  public int count(int minimumBytes) {
    int value = length();
    if ((long) value * minimumBytes > end - position) {
      throw new MalformedException("count exceeds input, count=" + value);
    }
    return value;
  }

  /**
   * Reads a count of at most {@code limit} items.
   *
   * @throws TooLargeException if the count is higher
   */
  public int count(int minimumBytes, int limit, String what) {
    int value = count(minimumBytes);
    if (value > limit) {
      throw new TooLargeException("too many " + what, value, limit);
    }
    return value;
  }

  /** Returns the number of bytes left. */
  public int left() {
    return end - position;
  }

  /** Returns the position of the next byte. */
  int position() {
    return position;
  }

  /** Copies the bytes between two positions. */
  byte[] copy(int from, int to) {
    return Arrays.copyOfRange(buffer, from, to);
  }

  /** Skips a byte string. */
  void skipBytes() {
    int length = length();
    require(length);
    position += length;
  }

  /** Skips a table, row and family. */
  void skipPlace() {
    skipBytes();
    skipBytes();
    skipBytes();
  }

  private void spend() {
    budget -= RequestLimits.OBJECT_BYTES;
    if (budget < 0) {
      throw new TooLargeException(
          "request too large when decoded, in bytes",
          RequestLimits.MAX_DECODED_BYTES - budget,
          RequestLimits.MAX_DECODED_BYTES);
    }
  }

  /** Reads a byte string. */
  public Bytes bytes() {
    int length = length();
    require(length);
    spend();
    Bytes value = Bytes.of(buffer, position, length);
    position += length;
    return value;
  }

  /** Reads UTF-8 text. */
  public String text() {
    int length = length();
    require(length);
    spend();
    String value = new String(buffer, position, length, StandardCharsets.UTF_8);
    position += length;
    return value;
  }

  /** Reads a boolean. */
  public boolean bool() {
    int value = u8();
    if (value > 1) {
      throw new MalformedException("not a boolean, value=" + value);
    }
    return value == 1;
  }

  /** Reads a set of slots. */
  public SlotSet slots() {
    long low = i64();
    return new SlotSet(low, i64());
  }

  /**
   * Reads a timestamp or mark; 0 = none.
   *
   * @throws MalformedException if it is negative
   */
  public long timestamp() {
    long timestamp = i64();
    if (timestamp < 0) {
      throw new MalformedException("negative timestamp, timestamp=" + timestamp);
    }
    return timestamp;
  }

  /**
   * Reads the lifetime of a value, in milliseconds.
   *
   * @throws MalformedException if it is not a legal cell lifetime
   */
  public long lifetime() {
    long millis = i64();
    if (!FamilyRetention.isCellLifetime(millis)) {
      throw new MalformedException("lifetime of a value out of range, millis=" + millis);
    }
    return millis;
  }

  /** Reads a table, row and family. */
  public RowFamily place() {
    String table = text();
    Bytes row = bytes();
    return new RowFamily(table, row, bytes());
  }

  /** Reads a format version and refuses every version but {@code known}. */
  public void version(int known, String what) {
    requireVersion(u8(), known, what);
  }

  /** Refuses every format version but {@code known}. */
  public static void requireVersion(int version, int known, String what) {
    if (version != known) {
      throw new MalformedException(
          "unknown format version: "
              + (version > known
                  ? "the other side is newer; upgrade this one first"
                  : "the other side is too old; upgrade it")
              + ", what="
              + what
              + " version="
              + version
              + " known="
              + known);
    }
  }

  /** Refuses trailing bytes. */
  public void end(String what) {
    if (position != end) {
      throw new MalformedException("bytes left over, what=" + what + " bytes=" + (end - position));
    }
  }

  private void require(int bytes) {
    if (end - position < bytes) {
      throw new MalformedException(
          "input too short, needed=" + bytes + " left=" + (end - position));
    }
  }
}
