package io.lampone.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cluster.ClusterPlan;
import io.lampone.cluster.LocalCluster;
import io.lampone.dist.Installation.Outcome;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tarball as an operator meets it: unpacked, its one jar added to an HBase that has no other
 * class of ours, and everything else done by its {@code bin/lampone}.
 */
@Timeout(value = 8, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DistributionIT {

  private static final Duration START = Duration.ofSeconds(120);
  private static final Duration GRACE = Duration.ofSeconds(20);

  /** What the manual says of a transaction manager that is stopped. */
  private static final int SIGTERM_EXIT = 143;

  @TempDir Path folder;

  @Test
  void theTarballIsInstalledIntoAnHBaseThatKnowsNothingOfIt() throws Exception {
    Installation lampone = unpack();
    String plainHBase = lampone.hbaseJars();
    String withJar = plainHBase + ":" + lampone.coprocessor();
    LocalCluster cluster =
        LocalCluster.create(
            new ClusterPlan(
                folder.resolve("cluster"), 1, 1, 2, 0, Duration.ofSeconds(10), Map.of()),
            SystemClock.INSTANCE,
            new Random());
    Process manager = null;
    try {
      for (String name : List.of("zk1", "master1", "rs1")) {
        cluster.start(name, withJar);
      }
      cluster.start("rs2", plainHBase); // somebody has forgotten one server
      cluster.awaitUsable(START, step -> {});
      createPlainTable(cluster);
      lampone.use(cluster.clientSite());
      manager = lampone.startManager(cluster, folder);
      await().atMost(START).until(() -> lampone.run("tm", "status").exitCode() == 0);

      assertTheForgottenServerIsFound(lampone, cluster);
      cluster.signal("rs2", LocalCluster.Signal.TERM);
      await().atMost(START).until(() -> cluster.member("rs2").state().name().equals("DEAD"));
      cluster.start("rs2", withJar);
      cluster.awaitUsable(START, step -> {});
      await().atMost(START).until(() -> lampone.run("check").exitCode() == 0);

      assertTablesAndTransactionsWork(lampone);
      manager.destroy();
      assertThat(manager.waitFor()).as("exit code after SIGTERM").isEqualTo(SIGTERM_EXIT);
    } finally {
      if (manager != null) {
        manager.destroy();
        manager.waitFor();
      }
      cluster.stopAll(GRACE);
    }
  }

  private static void assertTheForgottenServerIsFound(Installation lampone, LocalCluster cluster)
      throws Exception {
    Outcome forgotten = lampone.run("check", "--json");
    assertThat(forgotten.exitCode()).as(forgotten.output()).isEqualTo(1);
    assertThat(findings(forgotten, "fail"))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.get("check").asText()).isEqualTo("coprocessor");
              assertThat(finding.get("subject").asText())
                  .endsWith(":" + cluster.member("rs2").port());
              assertThat(finding.get("found").asText()).contains("not on the class path");
              assertThat(finding.get("advice").asText()).contains("coprocessor/lampone-copro");
            });
    // Asking has done no harm.
    assertThat(cluster.member("rs2").state().name()).isEqualTo("RUNNING");
  }

  private static void assertTablesAndTransactionsWork(Installation lampone) throws Exception {
    Outcome enabled = lampone.run("table", "enable", "--level=cell", "plain");
    assertThat(enabled.exitCode()).as(enabled.output()).isZero();
    Outcome shell =
        lampone.run(
            "shell",
            "-e",
            "create fresh f; begin; put fresh a f:q one; put plain z f:q two; commit;"
                + " get fresh a; get plain z; begin; put plain a f:q 3; rollback; count plain");
    assertThat(shell.exitCode()).as(shell.output()).isZero();
    assertThat(shell.output())
        .containsSubsequence("Committed at", "value=one", "value=two", "1 row\n");
    assertThat(lampone.run("check").output())
        .contains("plain: transactional, conflicts by CELL", "fresh: transactional");
  }

  @Test
  void theCommandNeverBuildsAndSaysWhatIsWrongWithItsSurroundings() throws Exception {
    Installation lampone = unpack();
    Path home = lampone.home();
    Outcome version = lampone.run("version");
    assertThat(version.output()).contains("lampone 0.", "java ").doesNotContain("Building");
    assertThat(lampone.run("config", "validate").exitCode()).isZero();
    assertThat(lampone.run(Map.of("JAVA_HOME", "/nowhere"), "version").output())
        .contains("JAVA_HOME has no bin/java");
    assertThat(lampone.run(Map.of("LAMPONE_CONF_DIR", "/nowhere"), "version").output())
        .contains("No such folder of settings");

    Files.writeString(
        home.resolve("conf/lampone-site.xml"),
        "<configuration><property><name>lampone.tm.bind.prot</name><value>1</value></property>"
            + "</configuration>");
    Outcome misspelt = lampone.run("tm", "run");
    assertThat(misspelt.exitCode()).isEqualTo(2);
    assertThat(misspelt.output()).contains("did you mean lampone.tm.bind.port?");

    Path link = Files.createSymbolicLink(folder.resolve("lampone"), home.resolve("bin/lampone"));
    assertThat(Installation.runFile(link, "version").exitCode()).isZero();
    Files.delete(lampone.file("lib", "picocli"));
    assertThat(lampone.run("version").output()).contains("The distribution is not whole");
  }

  @Test
  void theLab_unpackedOverTheProduct_bringsItsCommands() throws Exception {
    Installation lampone = unpack();
    Outcome without = lampone.run("simulate", "--seeds", "2", "--json");
    assertThat(without.exitCode()).isEqualTo(1);
    assertThat(without.output()).contains("lampone-lab-", "docs/operations/install.md");

    lampone.add(System.getProperty("lampone.lab"));
    Outcome with = lampone.run("simulate", "--seeds", "2", "--json");
    assertThat(with.exitCode()).as(with.output()).isZero();
    assertThat(new ObjectMapper().readTree(with.output()).get("seeds").asInt()).isEqualTo(2);
    for (String command : List.of("torture", "bench fastpath", "tm failover-test", "check")) {
      Outcome help = lampone.run((command + " --help").split(" "));
      assertThat(help.exitCode()).as(help.output()).isZero();
      assertThat(help.output()).contains("Usage: lampone " + command);
    }
  }

  private Installation unpack() throws Exception {
    return Installation.unpack(
        System.getProperty("lampone.distribution"), folder.resolve("unpacked"));
  }

  /** With a region on each server: one that holds none cannot be asked. */
  private static void createPlainTable(LocalCluster cluster) throws IOException {
    Configuration configuration = HBaseConfiguration.create();
    configuration.addResource(new org.apache.hadoop.fs.Path(cluster.clientSite().toUri()));
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(TableName.valueOf("plain"))
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
              .build(),
          new byte[][] {
            Bytes.toBytes("b"), Bytes.toBytes("d"), Bytes.toBytes("f"), Bytes.toBytes("h")
          });
    }
  }

  private static List<JsonNode> findings(Outcome outcome, String level) throws IOException {
    List<JsonNode> found = new ArrayList<>();
    for (JsonNode finding : new ObjectMapper().readTree(outcome.output()).get("findings")) {
      if (finding.get("level").asText().equals(level)) {
        found.add(finding);
      }
    }
    return found;
  }
}
