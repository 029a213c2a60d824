package io.lampone.tm.net;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.FrameLayout;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * Cuts the bytes of one connection into frames, where they lie: only a frame that arrives in parts
 * is copied. For each buffer that comes: {@link #add}, {@link #next} until it says no, then {@link
 * #finish}, whatever happened in between.
 *
 * <p>Nothing is buffered for a frame that is longer than the limit, which is low until the
 * handshake is over, and never more than twice what has come of one.
 */
final class FrameSplitter {

  /** The longest frame that is taken; changed on the event loop when the handshake is over. */
  private int maxFrameBytes = FrameLayout.MAX_HANDSHAKE_BYTES;

  /** Buffer that is being split. */
  private ByteBuf source = Unpooled.EMPTY_BUFFER;

  /** The beginning of a frame of which the end is still to come; empty between two frames. */
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

  /** Takes a buffer, which is released by {@link #finish}. */
  void add(ByteBuf bytes) {
    source = bytes;
  }

  /**
   * Finds the next complete frame, if there is one.
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

  /** The memory that is kept for what has not been found yet. */
  int keptBytes() {
    return begun.capacity();
  }

  /** Returns the frame that {@link #next} has found; valid until it is called again. */
  ByteBuffer frame() {
    return frame;
  }

  /**
   * Gives away the frame that {@link #next} has found just now, to be read when others are cut
   * already; who takes it releases it.
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

  /** Keeps what has not been cut and releases the rest, also if there is no memory to keep it. */
  void finish() {
    try {
      keep();
    } finally {
      dropSource();
    }
  }

  /** Releases everything; nothing more will come. */
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

  /** The length field first, then the frame, and not a byte more. */
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

  /** Bytes of the frame that {@code in} begins with; more than it has if that cannot be told. */
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
