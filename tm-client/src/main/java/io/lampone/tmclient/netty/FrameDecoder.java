package io.lampone.tmclient.netty;

import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.TooLongFrameException;

/**
 * Splits the server's input into frames, and detects TLS in their place. Does not buffer a frame
 * above the limit, which is low until the welcome, because the sender is unknown before.
 */
public final class FrameDecoder extends LengthFieldBasedFrameDecoder {

  /** First bytes of TLS records; as a frame they would declare an excessive length. */
  private static final int TLS_ALERT = 21;

  private static final int TLS_HANDSHAKE = 22;

  private final int maxHandshakeBytes;

  private boolean looked;

  /** True if the welcome has been decoded. */
  private boolean welcomed;

  /**
   * @param maxHandshakeBytes maximum frame length before the welcome, head included
   */
  FrameDecoder(int maxHandshakeBytes) {
    super(
        FrameLayout.HIGHEST_MAX_FRAME_BYTES,
        FrameLayout.LENGTH_OFFSET,
        Integer.BYTES,
        FrameLayout.HEAD_BYTES - Integer.BYTES,
        0);
    this.maxHandshakeBytes = maxHandshakeBytes;
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
    if (welcomed) {
      return super.decode(context, in);
    }
    requireShort(in);
    Object frame = super.decode(context, in);
    welcomed = frame instanceof ByteBuf bytes && FrameKind.WELCOME.isKindOf(bytes.nioBuffer());
    return frame;
  }

  private void requireShort(ByteBuf in) {
    if (in.readableBytes() < Integer.BYTES) {
      return;
    }
    long length = in.getUnsignedInt(in.readerIndex() + FrameLayout.LENGTH_OFFSET);
    if (length > maxHandshakeBytes - FrameLayout.HEAD_BYTES) {
      throw new TooLongFrameException("frame too long for the handshake, length=" + length);
    }
  }

  /** Thrown when the server answers plain text with TLS. */
  public static final class SpeaksTlsException extends Exception {

    private static final long serialVersionUID = 1L;

    SpeaksTlsException() {
      super("TLS record in the place of a frame");
    }
  }
}
