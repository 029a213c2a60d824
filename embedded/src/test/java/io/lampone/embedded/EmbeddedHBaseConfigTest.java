package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class EmbeddedHBaseConfigTest {

  private static final Path FOLDER = Path.of("data");

  @Test
  void defaultsAreTwoRegionServersOnAnyPortWithAFourSecondSession() {
    EmbeddedHBaseConfig config = EmbeddedHBaseConfig.builder(FOLDER).build();

    assertThat(config.dataDirectory()).isEqualTo(FOLDER);
    assertThat(config.regionServers()).isEqualTo(2);
    assertThat(config.zooKeeperPort()).isZero();
    assertThat(config.zooKeeperSessionTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.syncToDisk()).isFalse();
    assertThat(config.settings()).isEmpty();
  }

  @Test
  void coprocessorsOfOneKindAreListedInTheOrderTheyWereAdded() {
    EmbeddedHBaseConfig config =
        EmbeddedHBaseConfig.builder(FOLDER)
            .userRegionCoprocessor(String.class)
            .userRegionCoprocessor(Integer.class)
            .build();

    assertThat(config.settings())
        .containsEntry(
            "hbase.coprocessor.user.region.classes", "java.lang.String,java.lang.Integer");
  }

  @Test
  void aPublishedClusterHasOneServerOfEachKind() {
    EmbeddedHBaseConfig config = EmbeddedHBaseConfig.builder(FOLDER).publishedAt(2181).build();

    assertThat(config.regionServers()).isEqualTo(1);
    assertThat(config.masterPort()).isEqualTo(2182);
    assertThat(config.regionServerPort()).isEqualTo(2183);
    assertThat(config.managerPort()).isEqualTo(2184);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> EmbeddedHBaseConfig.builder(FOLDER).publishedAt(2181).regionServers(2).build())
        .withMessageContaining("regionServers=2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EmbeddedHBaseConfig.builder(FOLDER).publishedAt(65_533).build())
        .withMessageContaining("publishedPort=65533");
  }

  @Test
  void valuesOutOfRangeAreRefusedByName() {
    EmbeddedHBaseConfig.Builder builder = EmbeddedHBaseConfig.builder(FOLDER);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.regionServers(0).build())
        .withMessageContaining("regionServers=0");
    builder.regionServers(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.zooKeeperPort(70_000).build())
        .withMessageContaining("zooKeeperPort=70000");
    builder.zooKeeperPort(0);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.zooKeeperSessionTimeout(Duration.ofMillis(1)).build())
        .withMessageContaining("zooKeeperSessionTimeout=PT0.001S");
  }
}
