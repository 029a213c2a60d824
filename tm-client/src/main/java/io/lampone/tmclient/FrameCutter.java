package io.lampone.tmclient;

import io.lampone.protocol.wire.FrameLayout;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;

/** Cuts what comes from the server into frames, and knows TLS when it meets it in their place. */
final class FrameCutter extends LengthFieldBasedFrameDecoder {

  /** First bytes of TLS; of ours they would begin a frame longer than any. */
  private static final int TLS_ALERT = 21;

  private static final int TLS_HANDSHAKE = 22;

  private boolean looked;

  FrameCutter() {
    super(
        FrameLayout.HIGHEST_MAX_FRAME_BYTES,
        FrameLayout.LENGTH_OFFSET,
        Integer.BYTES,
        FrameLayout.HEAD_BYTES - Integer.BYTES,
        0);
  }

  @Override
  protected Object decode(ChannelHandlerContext context, ByteBuf in) throws Exception {
    if (!looked && in.isReadable()) {
      looked = true;
      int first = in.getByte(in.readerIndex());
      if (first == TLS_ALERT || first == TLS_HANDSHAKE) {
        in.skipBytes(in.readableBytes());
        throw new SpeaksTlsException();
      }
    }
    return super.decode(context, in);
  }

  /** The server answers plain text with TLS. */
  static final class SpeaksTlsException extends Exception {

    private static final long serialVersionUID = 1L;

    SpeaksTlsException() {
      super("TLS record in the place of a frame");
    }
  }
}
