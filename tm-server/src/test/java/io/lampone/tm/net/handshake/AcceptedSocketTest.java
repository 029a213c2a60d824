package io.lampone.tm.net.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.wire.FrameWriter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which connections come from the server's own machine. */
final class AcceptedSocketTest {

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, 127.0.0.1, true",
    "::1, ::1, true",
    "192.0.2.7, 192.0.2.7, true",
    "192.0.2.8, 192.0.2.7, false",
    "2001:db8::7, 2001:db8::7, true",
    "2001:db8::8, 2001:db8::7, false"
  })
  void aConnectionFromTheServersOwnAddressIsLocal(String from, String to, boolean local) {
    AcceptedSocket socket =
        new AcceptedSocket(
            new Accepted(from, to), new FrameWriter(), false, () -> false, Runnable::run);
    assertThat(socket.local()).isEqualTo(local);
  }

  private static final class Accepted extends EmbeddedChannel {
    private final String from;
    private final String to;

    Accepted(String from, String to) {
      this.from = from;
      this.to = to;
    }

    @Override
    public SocketAddress remoteAddress() {
      return new InetSocketAddress(from, 4321);
    }

    @Override
    public SocketAddress localAddress() {
      return new InetSocketAddress(to, 17310);
    }
  }
}
