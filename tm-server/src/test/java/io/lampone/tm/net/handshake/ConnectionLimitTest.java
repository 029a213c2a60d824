package io.lampone.tm.net.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.junit.jupiter.api.Test;

final class ConnectionLimitTest {

  private final ConnectionLimit limit = new ConnectionLimit(5, 2);

  @Test
  void anAddressLosesItsOldestConnectionAndNotThoseOfOthers() {
    EmbeddedChannel other = added("192.0.2.2");
    EmbeddedChannel oldest = added("192.0.2.1");
    EmbeddedChannel second = added("192.0.2.1");
    EmbeddedChannel third = from("192.0.2.1");
    assertThat(limit.add(third)).isTrue();
    assertThat(oldest.isOpen()).isFalse();
    assertThat(second.isOpen()).isTrue();
    assertThat(third.isOpen()).isTrue();
    assertThat(other.isOpen()).isTrue();
    assertThat(limit.size()).isEqualTo(3);
  }

  @Test
  void thisMachinesOwnConnectionsAreLimitedAsAllAre() {
    EmbeddedChannel oldest = added("127.0.0.1");
    for (int i = 0; i < 4; i++) {
      added("127.0.0.1");
    }
    assertThat(oldest.isOpen()).isTrue();
    assertThat(limit.add(from("192.0.2.1"))).isTrue();
    assertThat(oldest.isOpen()).isFalse();
  }

  @Test
  void aConnectionThatMakesProgressStaysAndOneThatIsThroughDoesNotCount() {
    EmbeddedChannel busy = added("192.0.2.1");
    EmbeddedChannel idle = added("192.0.2.1");
    limit.renew(busy);
    assertThat(limit.add(from("192.0.2.1"))).isTrue();
    assertThat(busy.isOpen()).isTrue();
    assertThat(idle.isOpen()).isFalse();
    limit.remove(busy);
    limit.renew(busy);
    assertThat(limit.size()).isEqualTo(1);
    assertThat(limit.add(from("192.0.2.1"))).isFalse();
  }

  private EmbeddedChannel added(String address) {
    EmbeddedChannel channel = from(address);
    assertThat(limit.add(channel)).isFalse();
    return channel;
  }

  /** A connection from this address. */
  static EmbeddedChannel from(String address) {
    return new EmbeddedChannel() {
      @Override
      protected SocketAddress remoteAddress0() {
        return new InetSocketAddress(address, 4711);
      }
    };
  }
}
