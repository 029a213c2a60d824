package io.lampone.tm.net.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.tm.core.ManualClock;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ConnectionLimitTest {

  private static final Duration GRACE = Duration.ofSeconds(1);

  private final ManualClock clock = new ManualClock();
  private final ConnectionLimit limit = new ConnectionLimit(5, 2, GRACE, clock);

  @Test
  void anAddressLosesItsOldestConnectionAndNotThoseOfOthers() {
    EmbeddedChannel other = added("192.0.2.2");
    EmbeddedChannel oldest = added("192.0.2.1");
    EmbeddedChannel second = added("192.0.2.1");
    EmbeddedChannel third = from("192.0.2.1");
    clock.advance(GRACE);
    assertThat(limit.add(third)).isTrue();
    assertThat(oldest.isOpen()).isFalse();
    assertThat(second.isOpen()).isTrue();
    assertThat(third.isOpen()).isTrue();
    assertThat(other.isOpen()).isTrue();
    assertThat(limit.size()).isEqualTo(3);
  }

  /** As after a failover, when many clients come from one address: the first ones get through. */
  @Test
  void whileItsOldestConnectionIsYoung_anAddressLosesTheNewOne() {
    EmbeddedChannel oldest = added("192.0.2.1");
    EmbeddedChannel second = added("192.0.2.1");
    clock.advance(GRACE.minusNanos(1));
    EmbeddedChannel third = from("192.0.2.1");
    assertThat(limit.add(third)).isTrue();
    assertThat(oldest.isOpen()).isTrue();
    assertThat(second.isOpen()).isTrue();
    assertThat(third.isOpen()).isFalse();
    limit.remove(oldest);
    assertThat(added("192.0.2.1").isOpen()).isTrue();
    assertThat(limit.size()).isEqualTo(2);
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
    clock.advance(GRACE);
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
