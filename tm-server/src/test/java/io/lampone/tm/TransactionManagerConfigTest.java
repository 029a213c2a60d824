package io.lampone.tm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;

final class TransactionManagerConfigTest {

  @Test
  void theDefaultsAreThese() {
    assertThat(TransactionManagerConfig.builder().build())
        .isEqualTo(
            new TransactionManagerConfig(
                "0.0.0.0",
                17310,
                "",
                "localhost:2181",
                "/lampone",
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                Duration.ofMillis(500),
                Duration.ofSeconds(5),
                4_194_304,
                1_048_576,
                4_194_304,
                4096,
                4096,
                16_384,
                1_048_576,
                Duration.ofSeconds(5),
                false));
  }

  @Test
  void theNamesAreThese() {
    assertThat(TransactionManagerConfig.propertyNames())
        .containsExactly(
            "lampone.tm.advertised.host",
            "lampone.tm.bind.host",
            "lampone.tm.bind.port",
            "lampone.tm.conflict.table.capacity",
            "lampone.tm.decision.memory.capacity",
            "lampone.tm.event.loop.busy.poll",
            "lampone.tm.handshake.timeout",
            "lampone.tm.lease.duration",
            "lampone.tm.lease.renew.interval",
            "lampone.tm.max.connections",
            "lampone.tm.max.frame.bytes",
            "lampone.tm.max.messages.per.frame",
            "lampone.tm.max.outstanding",
            "lampone.tm.max.outstanding.per.connection",
            "lampone.tm.timestamps.ahead",
            "lampone.tm.zookeeper.parent",
            "lampone.tm.zookeeper.quorum",
            "lampone.tm.zookeeper.session.timeout");
  }

  @Test
  void everyPropertyReachesItsPlace() {
    assertThat(
            TransactionManagerConfig.fromProperties(
                properties(
                    "lampone.tm.bind.host=::1",
                    "lampone.tm.bind.port=1",
                    "lampone.tm.advertised.host=h",
                    "lampone.tm.zookeeper.quorum=a:1,b:2",
                    "lampone.tm.zookeeper.parent=/p/q",
                    "lampone.tm.zookeeper.session.timeout=PT3S",
                    "lampone.tm.lease.duration=4s",
                    "lampone.tm.lease.renew.interval=700 ms",
                    "lampone.tm.timestamps.ahead=1m",
                    "lampone.tm.conflict.table.capacity=5",
                    "lampone.tm.decision.memory.capacity=6",
                    "lampone.tm.max.frame.bytes=7000",
                    "lampone.tm.max.messages.per.frame=8",
                    "lampone.tm.max.connections=9",
                    "lampone.tm.max.outstanding.per.connection=10",
                    "lampone.tm.max.outstanding=11",
                    "lampone.tm.handshake.timeout=12s",
                    "lampone.tm.event.loop.busy.poll=true",
                    "another.property=ignored")))
        .isEqualTo(
            new TransactionManagerConfig(
                "::1",
                1,
                "h",
                "a:1,b:2",
                "/p/q",
                Duration.ofSeconds(3),
                Duration.ofSeconds(4),
                Duration.ofMillis(700),
                Duration.ofMinutes(1),
                5,
                6,
                7000,
                8,
                9,
                10,
                11,
                Duration.ofSeconds(12),
                true));
  }

  @Test
  void anUnknownPropertyIsNamed() {
    assertThatThrownBy(
            () ->
                TransactionManagerConfig.fromProperties(
                    properties("lampone.tm.lease.durration=2s")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lampone.tm.lease.durration")
        .hasMessageContaining("lampone.tm.lease.duration");
  }

  @Test
  void aValueThatDoesNotDoIsNamed() {
    for (String line :
        new String[] {
          "lampone.tm.bind.port=70000",
          "lampone.tm.bind.port=http",
          "lampone.tm.lease.duration=2",
          "lampone.tm.lease.duration=10ms",
          "lampone.tm.lease.duration=",
          "lampone.tm.lease.renew.interval=1500ms",
          "lampone.tm.timestamps.ahead=1s",
          "lampone.tm.zookeeper.parent=lampone",
          "lampone.tm.zookeeper.quorum= ",
          "lampone.tm.conflict.table.capacity=0",
          "lampone.tm.max.frame.bytes=1",
          "lampone.tm.handshake.timeout=-1s",
          "lampone.tm.event.loop.busy.poll=yes",
        }) {
      assertThatThrownBy(() -> TransactionManagerConfig.fromProperties(properties(line)))
          .as(line)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(line.substring(0, line.indexOf('=')));
    }
  }

  private static Properties properties(String... lines) {
    Properties properties = new Properties();
    for (String line : lines) {
      int equals = line.indexOf('=');
      properties.setProperty(line.substring(0, equals), line.substring(equals + 1));
    }
    return properties;
  }
}
