package io.lampone.tmclient.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.TooLongFrameException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class FrameDecoderTest {

  private static final int LONG = 1 << 20;

  private final EmbeddedChannel channel =
      new EmbeddedChannel(new FrameDecoder(FrameLayout.MAX_HANDSHAKE_BYTES));

  /** Whoever listens there may not be ours: nothing is kept for what it promises. */
  @Test
  void beforeTheWelcomeAFrameThatIsTooLongForTheHandshakeIsRefusedByItsLengthAlone() {
    int longest = FrameLayout.MAX_HANDSHAKE_BYTES - FrameLayout.HEAD_BYTES;
    assertThat(channel.writeInbound(head(longest))).isFalse();
    assertThatThrownBy(
            () ->
                new EmbeddedChannel(new FrameDecoder(FrameLayout.MAX_HANDSHAKE_BYTES))
                    .writeInbound(head(longest + 1)))
        .isInstanceOf(TooLongFrameException.class);
  }

  @Test
  void afterTheWelcomeFramesMayBeLong() {
    FrameWriter writer = new FrameWriter();
    new Handshake.Welcome(1, 0, 1, LONG, 1).writeTo(writer);
    ByteBuffer welcome = writer.finish();
    assertThat(channel.writeInbound(Unpooled.copiedBuffer(welcome))).isTrue();
    byte[] body = new byte[LONG];
    ByteBuf frame = head(LONG).writeInt(0).writeBytes(body);
    assertThat(channel.writeInbound(frame)).isTrue();
    assertRead(welcome.remaining());
    assertRead(LONG + FrameLayout.HEAD_BYTES);
    assertThatThrownBy(() -> channel.writeInbound(head(FrameLayout.HIGHEST_MAX_FRAME_BYTES)))
        .isInstanceOf(TooLongFrameException.class);
  }

  private void assertRead(int bytes) {
    ByteBuf read = channel.readInbound();
    assertThat(read.readableBytes()).isEqualTo(bytes);
    read.release();
  }

  /** The length field of a frame. */
  private static ByteBuf head(int length) {
    return Unpooled.buffer().writeInt(length);
  }
}
