package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Tag;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads one complete frame. Every method throws {@link MalformedException} if the input ends too
 * early; no length is trusted before it has been compared with the number of bytes left.
 */
public final class FrameReader {

  private final ByteBuffer buffer;
  private final FrameKind kind;

  /** The last grant in the frame so far. */
  private @Nullable Grant grant;

  private FrameReader(ByteBuffer buffer, FrameKind kind) {
    this.buffer = buffer;
    this.kind = kind;
  }

  /**
   * Checks head and checksum of the frame between position and limit of {@code frame}.
   *
   * @throws MalformedException if this is not a complete and undamaged frame of a known kind
   */
  public static FrameReader open(ByteBuffer frame) {
    ByteBuffer buffer = frame.slice();
    if (buffer.remaining() < FrameLayout.BODY_OFFSET) {
      throw new MalformedException("frame too short, bytes=" + buffer.remaining());
    }
    int length = buffer.getInt(FrameLayout.LENGTH_OFFSET);
    if (length != buffer.remaining() - FrameLayout.HEAD_BYTES) {
      throw new MalformedException(
          "wrong length of a frame, length=" + length + " bytes=" + buffer.remaining());
    }
    CRC32C crc = new CRC32C();
    crc.update(buffer.duplicate().position(FrameLayout.KIND_OFFSET));
    if ((int) crc.getValue() != buffer.getInt(FrameLayout.CRC_OFFSET)) {
      throw new MalformedException("wrong checksum of a frame, length=" + length);
    }
    FrameKind kind = FrameKind.ofCode(buffer.get(FrameLayout.KIND_OFFSET) & 0xff);
    buffer.position(FrameLayout.BODY_OFFSET);
    return new FrameReader(buffer, kind);
  }

  /** Returns the kind of the frame. */
  public FrameKind kind() {
    return kind;
  }

  void expect(FrameKind expected) {
    if (kind != expected) {
      throw new MalformedException("unexpected frame, kind=" + kind + " expected=" + expected);
    }
  }

  /** Returns true if the next byte is {@code value}. */
  boolean isNext(int value) {
    return buffer.hasRemaining() && buffer.get(buffer.position()) == value;
  }

  /**
   * Returns the first byte of the next message. A preceding grant, announced by {@code grantType},
   * is kept for {@link #grant}.
   */
  int type(int grantType) {
    int type = u8();
    if (type != grantType) {
      return type;
    }
    long first = i64();
    int span = i32();
    grant = new Grant(first, span, tag());
    return u8();
  }

  /** Returns the last grant in the frame so far. */
  Grant grant() {
    Grant known = grant;
    if (known == null) {
      throw new MalformedException("no grant in the frame");
    }
    return known;
  }

  /** Reads the answer to a begin; its grant is the last one in the frame so far. */
  Begin begin() {
    long startTimestamp = i64();
    return new Begin(startTimestamp, i64(), grant());
  }

  /** Reads the answer to a progress report. */
  StartBlock startBlock() {
    long watermark = i64();
    long floor = i64();
    long first = i64();
    int count = u16();
    Grant covering = count == 0 ? new Grant(first, 0, Tag.NONE) : grant();
    return new StartBlock(watermark, floor, first, count, covering);
  }

  /** Reads the status in a reply of this type. */
  Status status(int replyType) {
    return switch (replyType) {
      case ReplyType.STATUS_NOT_REQUESTED -> new Status.NotRequested();
      case ReplyType.STATUS_PASSED -> new Status.Passed(i64(), tag());
      case ReplyType.STATUS_ASSIGNED -> new Status.Assigned(i64(), optionalTag());
      case ReplyType.STATUS_CONFLICT -> new Status.Conflict(tag());
      default -> new Status.Unknown(optionalTag());
    };
  }

  /** Reads a proof; zeros stand for none. */
  private Optional<Tag> optionalTag() {
    return Optional.of(tag()).filter(tag -> !tag.equals(Tag.NONE));
  }

  /** Reads a proof. */
  Tag tag() {
    long first = i64();
    return new Tag(first, i64());
  }

  int u8() {
    require(Byte.BYTES);
    return buffer.get() & 0xff;
  }

  int u16() {
    require(Short.BYTES);
    return buffer.getShort() & 0xffff;
  }

  int i32() {
    require(Integer.BYTES);
    return buffer.getInt();
  }

  long i64() {
    require(Long.BYTES);
    return buffer.getLong();
  }

  /** Reads a count of items of at least {@code minimumBytes} each. */
  int count(int minimumBytes) {
    int count = i32();
    if (count < 0 || (long) count * minimumBytes > buffer.remaining()) {
      throw new MalformedException("count exceeds frame, count=" + count);
    }
    return count;
  }

  long[] i64s(int count) {
    require(Math.multiplyExact(count, Long.BYTES));
    long[] values = new long[count];
    for (int i = 0; i < count; i++) {
      values[i] = buffer.getLong();
    }
    return values;
  }

  byte[] bytes(int count) {
    require(count);
    byte[] value = new byte[count];
    buffer.get(value);
    return value;
  }

  void end() {
    if (buffer.hasRemaining()) {
      throw new MalformedException("bytes left over, bytes=" + buffer.remaining());
    }
  }

  private void require(int bytes) {
    if (buffer.remaining() < bytes) {
      throw new MalformedException(
          "frame too short, needed=" + bytes + " left=" + buffer.remaining());
    }
  }
}
