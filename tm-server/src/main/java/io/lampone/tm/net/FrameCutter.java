package io.lampone.tm.net;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.FrameLayout;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/**
 * Cuts the stream of bytes into frames. Nothing is buffered for a frame that is longer than the
 * limit, which is low until the handshake is over.
 */
final class FrameCutter extends ByteToMessageDecoder {

  /** The longest frame that is taken; changed on the event loop when the handshake is over. */
  private int maxFrameBytes = FrameLayout.MAX_HANDSHAKE_BYTES;

  void allow(int bytes) {
    maxFrameBytes = bytes;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (in.readableBytes() < Integer.BYTES) {
      return;
    }
    int length = in.getInt(in.readerIndex() + FrameLayout.LENGTH_OFFSET);
    if (length < 1 || length > maxFrameBytes - FrameLayout.HEAD_BYTES) {
      throw new MalformedException(
          "frame too long or too short, length=" + length + " limit=" + maxFrameBytes);
    }
    int bytes = length + FrameLayout.HEAD_BYTES;
    if (in.readableBytes() >= bytes) {
      out.add(in.readRetainedSlice(bytes));
    }
  }
}
