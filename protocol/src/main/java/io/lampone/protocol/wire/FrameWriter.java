package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Tag;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Builds successive frames in an internal buffer. Not thread-safe: one writer per event loop.
 *
 * <p>The result of {@link #finish} is a view of the buffer, valid until the next {@link #start}.
 */
public final class FrameWriter {

  private static final int INITIAL_BYTES = 1024;

  private final CRC32C crc = new CRC32C();

  /** The frame under construction; replaced by a larger buffer when full. */
  private ByteBuffer buffer = ByteBuffer.allocate(INITIAL_BYTES);

  /** True if the frame is a batch, which contains a count. */
  private boolean batch;

  /** Messages in the frame so far; 0 unless it is a batch. */
  private int messages;

  /** The last grant in the frame. */
  private @Nullable Grant grant;

  /** Starts a frame and discards the previous one. */
  public void start(FrameKind kind) {
    buffer.clear().position(FrameLayout.KIND_OFFSET);
    buffer.put((byte) kind.code());
    messages = 0;
    grant = null;
    batch = kind == FrameKind.REQUESTS || kind == FrameKind.REPLIES;
    if (batch) {
      buffer.position(FrameLayout.MESSAGES_OFFSET);
    }
  }

  /** Returns the length of the frame so far, head included. */
  public int size() {
    return buffer.position();
  }

  /** Completes the frame: length, checksum, and the count of a batch. */
  public ByteBuffer finish() {
    int end = buffer.position();
    if (batch) {
      buffer.putInt(FrameLayout.COUNT_OFFSET, messages);
    }
    buffer.putInt(FrameLayout.LENGTH_OFFSET, end - FrameLayout.HEAD_BYTES);
    crc.reset();
    crc.update(buffer.array(), FrameLayout.KIND_OFFSET, end - FrameLayout.KIND_OFFSET);
    buffer.putInt(FrameLayout.CRC_OFFSET, (int) crc.getValue());
    return ByteBuffer.wrap(buffer.array(), 0, end);
  }

  /** Counts a message and ensures capacity for it. */
  void startMessage(int bytes, int type, long id) {
    ensure(bytes);
    messages++;
    buffer.put((byte) type).putLong(id);
  }

  /** Writes a grant, announced by {@code type}, unless it equals the last one in the frame. */
  void grant(int type, Grant named) {
    if (!named.equals(grant)) {
      grant = named;
      u8(type).i64(named.first()).i32(named.span()).tag(named.secret());
    }
  }

  FrameWriter tag(Tag tag) {
    return i64(tag.first()).i64(tag.second());
  }

  FrameWriter u8(int value) {
    ensure(Byte.BYTES);
    buffer.put((byte) value);
    return this;
  }

  FrameWriter u16(int value) {
    ensure(Short.BYTES);
    buffer.putShort((short) value);
    return this;
  }

  FrameWriter i32(int value) {
    ensure(Integer.BYTES);
    buffer.putInt(value);
    return this;
  }

  FrameWriter i64(long value) {
    ensure(Long.BYTES);
    buffer.putLong(value);
    return this;
  }

  FrameWriter i64s(long[] values) {
    ensure(Math.multiplyExact(values.length, Long.BYTES));
    for (long value : values) {
      buffer.putLong(value);
    }
    return this;
  }

  FrameWriter bytes(byte[] value) {
    ensure(value.length);
    buffer.put(value);
    return this;
  }

  private void ensure(int more) {
    if (buffer.remaining() >= more) {
      return;
    }
    long needed = (long) buffer.position() + more;
    if (needed > FrameLayout.HIGHEST_MAX_FRAME_BYTES) {
      throw new MalformedException("frame too long, bytes=" + needed);
    }
    int capacity = (int) Math.max(needed, Math.min(2L * buffer.capacity(), Integer.MAX_VALUE / 2));
    ByteBuffer larger = ByteBuffer.allocate(capacity);
    larger.put(buffer.flip());
    buffer = larger;
  }
}
