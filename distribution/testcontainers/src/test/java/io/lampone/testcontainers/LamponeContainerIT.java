package io.lampone.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.dockerjava.api.model.Ports;
import io.lampone.client.LamponeClient;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.testcontainers.DockerClientFactory;

/**
 * Needs an engine with the image; {@code .ci/docker} has both, and demands that this is not
 * skipped.
 */
@Timeout(value = 6, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LamponeContainerIT {

  private static final TableName TABLE = TableName.valueOf("accounts");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] VALUE = Bytes.toBytes("v");

  private static final String IMAGE =
      Optional.ofNullable(System.getenv("LAMPONE_IMAGE")).orElse(LamponeContainer.DEFAULT_IMAGE);

  @Test
  void aTestHasAClusterOfItsOwn() throws Exception {
    boolean available = DockerClientFactory.instance().isDockerAvailable();
    assertThat(available || System.getenv("LAMPONE_REQUIRE_DOCKER") == null)
        .as("an engine, because LAMPONE_REQUIRE_DOCKER is set")
        .isTrue();
    assumeTrue(available, "no Docker engine answers: .ci/docker starts one");
    try (LamponeContainer first = new LamponeContainer(IMAGE);
        LamponeContainer second = new LamponeContainer(IMAGE)) {
      first.start();
      second.start();
      assertThat(first.zooKeeper()).isNotEqualTo(second.zooKeeper());
      assertThat(hostAddresses(first)).hasSize(4).containsOnly("127.0.0.1");
      try (LamponeClient client = connect(first)) {
        create(client);
        client.run(tx -> write(tx.table(TABLE), "alice"));
        assertThat(exists(client)).isTrue();
        client.fastPath().table(TABLE).put(put("bob"));
      }
      try (LamponeClient client = connect(second)) {
        create(client); // it is not there: the other cluster has its own
        assertThat(exists(client)).isFalse();
      }
    }
  }

  private static Stream<String> hostAddresses(LamponeContainer container) {
    return container
        .getContainerInfo()
        .getNetworkSettings()
        .getPorts()
        .getBindings()
        .values()
        .stream()
        .filter(Objects::nonNull) // ports of the image that are not published
        .flatMap(Stream::of)
        .map(Ports.Binding::getHostIp);
  }

  private static LamponeClient connect(LamponeContainer container) throws IOException {
    Configuration configuration = HBaseConfiguration.create();
    container.settings().forEach(configuration::set);
    return LamponeClient.connect(configuration);
  }

  private static void create(LamponeClient client) throws IOException {
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.ROW);
  }

  private static boolean exists(LamponeClient client) throws IOException {
    return client.run(tx -> tx.table(TABLE).exists(new Get(Bytes.toBytes("alice"))));
  }

  private static boolean write(Table table, String row) throws IOException {
    table.put(put(row));
    return true;
  }

  private static Put put(String row) {
    return new Put(Bytes.toBytes(row)).addColumn(FAMILY, VALUE, Bytes.toBytes(1L));
  }
}
