package io.lampone.tm.net;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.FrameLayout;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * Splits the input of a connection into frames, in place: only a frame that arrives in parts is
 * copied. For each buffer: {@link #add}, {@link #next} until it returns false, then {@link
 * #finish}, whatever happened in between.
 *
 * <p>Buffers nothing for a frame above the limit, which is low until the handshake has ended, and
 * never more than twice the bytes that have arrived of a frame.
 */
final class FrameSplitter {

  /** Maximum frame length; changed on the event loop after the handshake. */
  private int maxFrameBytes = FrameLayout.MAX_HANDSHAKE_BYTES;

  /** Buffer that is being split. */
  private ByteBuf source = Unpooled.EMPTY_BUFFER;

  /** The beginning of an incomplete frame; empty between two frames. */
  private ByteBuf begun = Unpooled.EMPTY_BUFFER;

  /** True if the frame that {@link #next} has found lies in {@link #begun}. */
  private boolean frameHasBegun;

  /** The frame that {@link #next} has found. */
  private ByteBuffer frame = ByteBuffer.allocate(0);

  /** Number of frames found. */
  private long frames;

  void allow(int bytes) {
    maxFrameBytes = bytes;
  }

  /** Adds a buffer, which {@link #finish} releases. */
  void add(ByteBuf bytes) {
    source = bytes;
  }

  /**
   * Finds the next complete frame if there is one.
   *
   * @throws MalformedException if it is too long or too short
   */
  boolean next() {
    frameHasBegun = begun.isReadable();
    boolean found = frameHasBegun ? nextOfBegun() : nextOfSource();
    frames += found ? 1 : 0;
    return found;
  }

  private boolean nextOfSource() {
    forget();
    int bytes = frameBytes(source);
    if (bytes > source.readableBytes()) {
      return false;
    }
    frame = source.internalNioBuffer(source.readerIndex(), bytes);
    source.skipBytes(bytes);
    return true;
  }

  /** Returns the number of frames found, which is the index of the next one. */
  long frames() {
    return frames;
  }

  /** Returns the memory that an incomplete frame takes. */
  int keptBytes() {
    return begun.capacity();
  }

  /** Returns the frame that {@link #next} has found; valid until it is called again. */
  ByteBuffer frame() {
    return frame;
  }

  /**
   * Detaches the frame that {@link #next} has just found, so that it outlives later calls. The
   * caller must release it.
   */
  ByteBuf detach() {
    int bytes = frame.remaining();
    if (!frameHasBegun) {
      return source.retainedSlice(source.readerIndex() - bytes, bytes);
    }
    ByteBuf given = begun;
    int index = given.readerIndex() - bytes;
    begun = Unpooled.EMPTY_BUFFER;
    if (given.isReadable()) {
      begun = given.alloc().directBuffer(given.readableBytes()).writeBytes(given);
    }
    return given.slice(index, bytes);
  }

  /** Keeps the incomplete frame and releases the rest, even if memory is exhausted. */
  void finish() {
    try {
      keep();
    } finally {
      dropSource();
    }
  }

  /** Releases everything at the end of the connection. */
  void close() {
    forget();
    dropSource();
  }

  private void keep() {
    if (!begun.isReadable()) {
      forget();
    }
    if (source.isReadable()) {
      if (!begun.isReadable()) {
        begun = source.alloc().directBuffer(source.readableBytes());
      }
      begun.writeBytes(source);
    }
  }

  private void dropSource() {
    source.release();
    source = Unpooled.EMPTY_BUFFER;
  }

  /** Reads the length field, then the frame, and not a byte more. */
  private boolean nextOfBegun() {
    fill(Integer.BYTES);
    int bytes = frameBytes(begun);
    fill(bytes);
    if (begun.readableBytes() < bytes) {
      return false;
    }
    frame = begun.internalNioBuffer(begun.readerIndex(), bytes);
    begun.skipBytes(bytes);
    return true;
  }

  private void fill(int bytes) {
    int missing = bytes - begun.readableBytes();
    if (missing > 0) {
      begun.writeBytes(source, Math.min(missing, source.readableBytes()));
    }
  }

  private void forget() {
    begun.release();
    begun = Unpooled.EMPTY_BUFFER;
  }

  /** Returns the length of the first frame of {@code in}; if unknown yet, more than it has. */
  private int frameBytes(ByteBuf in) {
    if (in.readableBytes() < Integer.BYTES) {
      return FrameLayout.BODY_OFFSET;
    }
    int length = in.getInt(in.readerIndex() + FrameLayout.LENGTH_OFFSET);
    if (length < 1 || length > maxFrameBytes - FrameLayout.HEAD_BYTES) {
      throw new MalformedException(
          "frame too long or too short, length=" + length + " limit=" + maxFrameBytes);
    }
    return length + FrameLayout.HEAD_BYTES;
  }
}
