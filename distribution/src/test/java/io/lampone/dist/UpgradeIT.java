package io.lampone.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cluster.ClusterPlan;
import io.lampone.cluster.LocalCluster;
import io.lampone.dist.Installation.Outcome;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two versions of Lampone on one HBase, in the order of {@code docs/operations/upgrade.md} and back
 * again: at each step money moves, by an old client, a new one, or both, on the same accounts.
 * Needs the tarball of the older version; see {@code docs/testing.md}.
 */
@EnabledIfSystemProperty(named = UpgradeIT.OLD_DISTRIBUTION, matches = ".+")
@Timeout(value = 12, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UpgradeIT {

  static final String OLD_DISTRIBUTION = "lampone.test.old.distribution";

  private static final Duration START = Duration.ofSeconds(120);
  private static final Duration GRACE = Duration.ofSeconds(20);
  private static final List<String> HBASE = List.of("master1", "rs1", "rs2");

  @TempDir Path folder;

  /** What runs, and in which version; of one test. */
  private final class Stage implements AutoCloseable {

    private final LocalCluster cluster;
    private final String hbaseJars;
    private Process manager;

    Stage(Installation first) throws Exception {
      hbaseJars = first.hbaseJars();
      cluster =
          LocalCluster.create(
              new ClusterPlan(
                  folder.resolve("cluster"), 1, 1, 2, 0, Duration.ofSeconds(10), Map.of()),
              SystemClock.INSTANCE,
              new Random());
      cluster.start("zk1", hbaseJars);
      for (String name : HBASE) {
        cluster.start(name, hbaseJars + ":" + first.coprocessor());
      }
      cluster.awaitUsable(START, step -> {});
      manager = first.startManager(cluster, folder);
      first.use(cluster.clientSite());
      awaitManager(first);
    }

    /** One server after the other, the way an operator does it. */
    void coprocessors(Installation version) throws Exception {
      for (String name : HBASE) {
        cluster.signal(name, LocalCluster.Signal.TERM);
        await().atMost(START).until(() -> cluster.member(name).state().name().equals("DEAD"));
        cluster.start(name, hbaseJars + ":" + version.coprocessor());
        cluster.awaitUsable(START, step -> {});
      }
    }

    void manager(Installation version) throws Exception {
      manager.destroy();
      manager.waitFor();
      version.use(cluster.clientSite());
      manager = version.startManager(cluster, folder);
      awaitManager(version);
    }

    private void awaitManager(Installation version) {
      await().atMost(START).until(() -> version.run("tm", "status").exitCode() == 0);
    }

    @Override
    public void close() throws Exception {
      manager.destroy();
      manager.waitFor();
      cluster.stopAll(GRACE);
    }
  }

  @Test
  void oneVersionStepUpAndDownAgainLosesNothing() throws Exception {
    Installation older =
        Installation.unpack(System.getProperty(OLD_DISTRIBUTION), folder.resolve("old"));
    Installation newer =
        Installation.unpack(System.getProperty("lampone.distribution"), folder.resolve("new"));
    try (Stage stage = new Stage(older)) {
      newer.use(stage.cluster.clientSite());
      work("all old", older);
      stage.coprocessors(newer);
      work("new coprocessors, old manager, old client", older);
      stage.manager(newer);
      work("new coprocessors, new manager, old client", older);
      work("all new", newer);
      work("new coprocessors, new manager, old client after a new one", older);
      stage.manager(older);
      work("new coprocessors, old manager, new client", newer);
      stage.coprocessors(older);
      work("old coprocessors, old manager, new client", newer);
      work("all old again", older);
    }
  }

  /** Transactions and audits of the same bank, and all of the fast path that YCSB uses. */
  private static void work(String step, Installation client) throws Exception {
    Outcome bank = client.run("bank", "--seconds=4", "--threads=4", "--accounts=20", "--json");
    assertThat(bank.exitCode()).as(step + "\n" + bank.output()).isZero();
    String line = bank.output().strip();
    line = line.substring(line.lastIndexOf('\n') + 1);
    assertThat(new ObjectMapper().readTree(line).get("sumConstant").asBoolean())
        .as(step + "\n" + bank.output())
        .isTrue();
    ycsb(step, client, "load");
    ycsb(step, client, "run");
  }

  private static void ycsb(String step, Installation client, String phase)
      throws IOException, InterruptedException {
    Outcome ycsb =
        client.run(
            "ycsb",
            phase,
            "-P",
            client.home().resolve("workloads/workloadf").toString(),
            "-p",
            "lampone.mode=fastpath",
            "-p",
            "recordcount=50",
            "-p",
            "operationcount=200");
    assertThat(ycsb.exitCode()).as(step + ", ycsb " + phase + "\n" + ycsb.output()).isZero();
  }
}
