package io.lampone.cli.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.lampone.cli.Lampone;
import io.lampone.client.LamponeClient;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.ConflictLevel;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.validation.Sharding;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What list, check and doctor say of validators that run, are idle, too small, and lost. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ValidatorCommandIT {

  @TempDir Path folder;

  private EmbeddedLampone cluster;
  private final List<TransactionManagerServer> servers = new ArrayList<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void start() throws IOException {
    cluster = EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.resolve("c")).build());
    try (LamponeClient client = LamponeClient.connect(cluster.configuration())) {
      client
          .admin()
          .createTable(
              TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                  .build(),
              ConflictLevel.ROW);
    }
  }

  @AfterEach
  void stop() {
    servers.forEach(TransactionManagerServer::kill);
    cluster.close();
  }

  @Test
  void listCheckAndDoctorSayWhoVotesWhoDoesNotAndWhy() throws IOException {
    assertThat(lampone("check")).isZero();
    assertThat(out.toString()).doesNotContain("validator   ");
    assertThat(lampone("doctor", "t")).isZero();

    start("v1", 1 << 16);
    start("tiny", 100);
    assertThat(lampone("validator", "add")).isEqualTo(2);
    assertThat(lampone("validator", "add", "v1", "--all")).isEqualTo(2);
    await() // the primary's list of them may be a second old
        .atMost(2, TimeUnit.MINUTES)
        .until(
            () ->
                lampone("validator", "list") == 0
                    && out.toString().contains("v1 ")
                    && out.toString().contains("tiny "));
    assertThat(lampone("validator", "add", "--all", "--json")).as("tiny cannot be added").isOne();
    assertThat(err.toString()).contains("too small");
    assertThat(out.toString().lines()).hasSize(1);
    assertThat(out.toString())
        .startsWith("[{")
        .contains("\"name\":\"v1\"", "\"buckets\":1260")
        .containsPattern("\"name\":\"tiny\",\"address\":\"[^\"]+\",\"problem\":\"[^\"]*too small");
    await()
        .atMost(2, TimeUnit.MINUTES)
        .until(
            () ->
                lampone("validator", "list") == 0
                    && out.toString().contains("1260          0  votes           all"));
    assertThat(out.toString())
        .containsPattern("VALIDATOR +ADDRESS +BUCKETS +VOTES/S +STATE +REMEMBERS\n")
        .containsPattern("primary +- +1260 +- +- +-\n")
        .containsPattern("tiny +127.0.0.1:[0-9]+ +- +- +no share\n");
    assertThat(lampone("check")).isOne();
    assertThat(out.toString())
        .containsPattern("ok    validator    v1 at 127.0.0.1:[0-9]+: votes, 1260 buckets\n")
        .containsPattern("fail  validator    tiny at [^ ]+: cannot receive a share: .*too small");
    assertThat(lampone("doctor", "t")).isEqualTo(3);
    assertThat(out.toString()).contains("VALIDATOR: ", "place=tiny at 127.0.0.1:", "too small");

    servers.get(1).close();
    await().atMost(2, TimeUnit.MINUTES).until(() -> lampone("validator", "add", "--all") == 0);
    servers.get(0).kill();
    await()
        .atMost(2, TimeUnit.MINUTES)
        .until(() -> lampone("validator", "list") == 0 && out.toString().contains("lost"));
    assertThat(out.toString())
        .containsPattern("v1 +127.0.0.1:[0-9]+ +- +- +lost +at 20[0-9-]+T[0-9:]+Z: ");
    await()
        .atMost(2, TimeUnit.MINUTES)
        .until(() -> lampone("check") == 0 && !out.toString().contains("tiny"));
    assertThat(out.toString())
        .containsPattern("warn  validator    v1 at [^ ]+: was lost at 20[^ ]+Z: .*; its buckets")
        .contains("-> look at its log, start it again, and 'lampone validator add v1'")
        .contains("1260 buckets had a validator that was lost");
  }

  private void start(String name, int capacity) throws IOException {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .zookeeperQuorum(cluster.hbase().zooKeeperConnectString())
                .conflictTableCapacity(capacity)
                .sharding(new Sharding(name, true, Duration.ofSeconds(1)))
                .build(),
            new MetricRegistry());
    servers.add(server);
    server.whenListed().join();
  }

  private int lampone(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.add("--zookeeper=" + cluster.hbase().zooKeeperConnectString());
    out.getBuffer().setLength(0);
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }
}
