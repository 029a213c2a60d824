package io.lampone.tm.net.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.admission.Quotas;
import io.lampone.tm.admission.Tenants;
import io.lampone.tm.core.ManualClock;
import io.lampone.tm.net.Policies;
import io.lampone.tm.net.ServerLimits;
import io.lampone.tm.net.ServerMetrics;
import io.lampone.tm.security.Security;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class HandshakePolicyTest {

  private static final int OF_ADDRESS = 8;

  private final MetricRegistry registry = new MetricRegistry();
  private final ManualClock clock = new ManualClock();
  private final HandshakePolicy policy =
      new HandshakePolicy(
          new Policies(
              new ServerLimits(1 << 20, 100, 10, 100, 100, 1 << 20, 1 << 20, Duration.ofSeconds(1)),
              AdmissionSettings.DEFAULT,
              Quotas.UNLIMITED,
              Security.off()),
          new Tenants(Quotas.UNLIMITED, clock),
          clock,
          Optional::empty,
          new ServerMetrics(registry, clock));

  @Test
  void oneAddressHasEightOpenHandshakes_andItsOldestOneGivesWayAfterASecond() {
    EmbeddedChannel other = arrived("192.0.2.2");
    List<EmbeddedChannel> flood = new ArrayList<>();
    for (int i = 0; i < 2 * OF_ADDRESS; i++) {
      flood.add(arrived("192.0.2.1"));
    }
    assertThat(flood.subList(0, OF_ADDRESS)).allMatch(EmbeddedChannel::isOpen);
    assertThat(flood.subList(OF_ADDRESS, 2 * OF_ADDRESS)).noneMatch(EmbeddedChannel::isOpen);
    clock.advance(Duration.ofSeconds(1));
    EmbeddedChannel later = arrived("192.0.2.1");
    assertThat(later.isOpen()).isTrue();
    assertThat(flood.get(0).isOpen()).isFalse();
    assertThat(other.isOpen()).isTrue();
    assertThat(policy.pendingHandshakes()).isEqualTo(OF_ADDRESS + 1);
    assertThat(registry.meter("lampone.tm.handshakes.displaced").getCount())
        .isEqualTo(OF_ADDRESS + 1);
  }

  private EmbeddedChannel arrived(String address) {
    EmbeddedChannel channel = ConnectionLimitTest.from(address);
    policy.arrived(channel);
    return channel;
  }
}
