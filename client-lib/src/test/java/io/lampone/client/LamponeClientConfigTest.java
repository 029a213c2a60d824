package io.lampone.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lampone.protocol.request.RequestLimits;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class LamponeClientConfigTest {

  @Test
  void namesAndDefaultsStayAsTheyAre() {
    assertThat(LamponeClientConfig.propertyNames())
        .containsExactlyInAnyOrder(
            "lampone.client.operation.timeout",
            "lampone.client.connect.timeout",
            "lampone.client.manager.timeout",
            "lampone.client.close.timeout",
            "lampone.client.buffer.bytes",
            "lampone.client.transaction.cells",
            "lampone.client.recorded.followers",
            "lampone.client.housekeeping.limit",
            "lampone.client.request.bytes",
            "lampone.client.request.rows",
            "lampone.client.scan.buffer.bytes",
            "lampone.client.table.cache.expiry",
            "lampone.client.retry.pause",
            "lampone.client.retry.pause.cap",
            "lampone.client.fast.path.patience",
            "lampone.client.contact.patience",
            "lampone.client.slow.transaction",
            "lampone.client.metrics",
            "lampone.client.report.rows",
            "lampone.client.isolation",
            "lampone.client.conflicts.early",
            "lampone.client.read.set.rows",
            "lampone.client.read.set.ranges",
            "lampone.client.server.lines",
            "lampone.zookeeper.parent");
    assertThat(LamponeClientConfig.builder().build())
        .isEqualTo(
            new LamponeClientConfig(
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                Duration.ofSeconds(5),
                2 << 20,
                5_000_000,
                4096,
                1000,
                1 << 20,
                10_000,
                4 << 20,
                Duration.ofMinutes(1),
                Duration.ofMillis(10),
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                Duration.ofMillis(100),
                Duration.ofSeconds(10),
                true,
                true,
                Isolation.SNAPSHOT,
                false,
                20_000,
                1_000,
                4,
                "/lampone"));
  }

  @Test
  void everyPropertyReachesItsPlace() {
    Configuration configuration = new Configuration(false);
    configuration.set("lampone.client.operation.timeout", "1s");
    configuration.set("lampone.client.connect.timeout", "2s");
    configuration.set("lampone.client.manager.timeout", "3s");
    configuration.set("lampone.client.close.timeout", "4s");
    configuration.set("lampone.client.buffer.bytes", "5");
    configuration.set("lampone.client.transaction.cells", "6");
    configuration.set("lampone.client.recorded.followers", "7");
    configuration.set("lampone.client.housekeeping.limit", "8");
    configuration.set("lampone.client.request.bytes", "9");
    configuration.set("lampone.client.request.rows", "10");
    configuration.set("lampone.client.scan.buffer.bytes", "11");
    configuration.set("lampone.client.table.cache.expiry", "12s");
    configuration.set("lampone.client.retry.pause", "13s");
    configuration.set("lampone.client.retry.pause.cap", "14s");
    configuration.set("lampone.client.fast.path.patience", "15s");
    configuration.set("lampone.client.contact.patience", "16s");
    configuration.set("lampone.client.slow.transaction", "17s");
    configuration.set("lampone.client.metrics", "false");
    configuration.set("lampone.client.report.rows", "true");
    configuration.set("lampone.client.isolation", "serializable");
    configuration.set("lampone.client.conflicts.early", "true");
    configuration.set("lampone.client.read.set.rows", "18");
    configuration.set("lampone.client.read.set.ranges", "19");
    configuration.set("lampone.client.server.lines", "20");
    configuration.set("lampone.zookeeper.parent", "/other");
    assertThat(LamponeClientConfig.from(configuration))
        .isEqualTo(
            new LamponeClientConfig(
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                Duration.ofSeconds(3),
                Duration.ofSeconds(4),
                5,
                6,
                7,
                8,
                9,
                10,
                11,
                Duration.ofSeconds(12),
                Duration.ofSeconds(13),
                Duration.ofSeconds(14),
                Duration.ofSeconds(15),
                Duration.ofSeconds(16),
                Duration.ofSeconds(17),
                false,
                true,
                Isolation.SERIALIZABLE,
                true,
                18,
                19,
                20,
                "/other"));
    configuration.set("lampone.client.metrics", "true");
    configuration.set("lampone.client.report.rows", "false");
    assertThat(LamponeClientConfig.from(configuration).metrics()).isTrue();
    assertThat(LamponeClientConfig.from(configuration).reportRows()).isFalse();
  }

  @Test
  void propertiesAreReadFromHBasesConfiguration() {
    Configuration configuration = new Configuration(false);
    configuration.set("lampone.client.operation.timeout", "3s");
    configuration.set("lampone.client.buffer.bytes", " 1000 ");
    configuration.set("lampone.zookeeper.parent", "/other");
    configuration.set("hbase.something", "else");

    LamponeClientConfig config = LamponeClientConfig.from(configuration);

    assertThat(config.operationTimeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(config.bufferBytes()).isEqualTo(1000);
    assertThat(config.zookeeperParent()).isEqualTo("/other");
    assertThat(config.isolation()).isEqualTo(Isolation.SNAPSHOT);
    configuration.set("lampone.client.isolation", "serializable");
    assertThat(LamponeClientConfig.from(configuration).isolation())
        .isEqualTo(Isolation.SERIALIZABLE);
    configuration.set("lampone.client.isolation", "strict");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LamponeClientConfig.from(configuration))
        .withMessageContaining("name=lampone.client.isolation value=strict")
        .withMessageContaining("snapshot, serializable");
  }

  @Test
  void unknownPropertiesAreNamed() {
    Configuration configuration = new Configuration(false);
    configuration.set("lampone.client.bufer.bytes", "1000");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> LamponeClientConfig.from(configuration))
        .withMessageContaining("lampone.client.bufer.bytes")
        .withMessageContaining("lampone.client.buffer.bytes");
  }

  @Test
  void soIsAMisspeltZnode() {
    Configuration configuration = new Configuration(false);
    configuration.set("lampone.zookeeper.parnt", "/other");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> LamponeClientConfig.from(configuration))
        .withMessageContaining("lampone.zookeeper.parnt")
        .withMessageContaining("lampone.zookeeper.parent");
  }

  @Test
  void propertiesOfTheTransactionManagersClientAreKnown() {
    Configuration configuration = new Configuration(false);
    configuration.set("lampone.client.manager.principal", "shop");
    LamponeClientConfig.from(configuration);
  }

  @Test
  void unreadableValuesAreNamed() {
    Configuration configuration = new Configuration(false);
    configuration.set("lampone.client.request.rows", "many");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> LamponeClientConfig.from(configuration))
        .withMessageContaining("name=lampone.client.request.rows value=many");
  }

  @Test
  void everyValueOutOfRangeIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                LamponeClientConfig.builder()
                    .operationTimeout(Duration.ZERO)
                    .requestRows(0)
                    .zookeeperParent("lampone")
                    .build())
        .withMessageContaining("lampone.client.operation.timeout")
        .withMessageContaining("name=lampone.client.request.rows value=0")
        .withMessageContaining("name=lampone.zookeeper.parent value=lampone");
  }

  /** A region server refuses more, each time. */
  @Test
  void aRequestHasNoMoreRowsThanAServerTakes() {
    LamponeClientConfig.builder().requestRows(RequestLimits.MAX_ROWS).build();
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> LamponeClientConfig.builder().requestRows(RequestLimits.MAX_ROWS + 1).build())
        .withMessageContaining(
            "name=lampone.client.request.rows value=10001 legal=number, 1 to 10000");
  }
}
