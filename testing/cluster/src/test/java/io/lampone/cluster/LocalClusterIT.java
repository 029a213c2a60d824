package io.lampone.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.ConflictException;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.cluster.LocalCluster.Signal;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes: the whole life of a small cluster. */
final class LocalClusterIT {

  private static final Duration START = Duration.ofSeconds(120);

  /** A signal is noticed late only now and then. */
  private static final int PAUSES = 30;

  private static final byte[] FAMILY = "f".getBytes(StandardCharsets.UTF_8);
  private static final byte[] ROW = "row".getBytes(StandardCharsets.UTF_8);
  private static final TableName TABLE = TableName.valueOf("t");

  @TempDir Path folder;

  @Test
  void aClusterIsStartedUsedBrokenStoppedAndStartedAgain() throws Exception {
    ClusterPlan plan = ClusterPlan.small(folder.resolve("cluster"));
    LocalCluster cluster = LocalCluster.create(plan, SystemClock.INSTANCE, new Random());
    try {
      cluster.startAll();
      cluster.awaitUsable(START, step -> {});
      try (LamponeClient client = connect(cluster)) {
        client
            .admin()
            .createTable(
                TableDescriptorBuilder.newBuilder(TABLE)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                    .build(),
                ConflictLevel.CELL);
        put(client, "one");
        if (DashboardQueries.isPossible()) {
          dashboards(cluster, client);
        }
        put(client, "one");
        assertThat(get(client)).isEqualTo("one");
      }

      // Another process would see the same.
      LocalCluster opened = LocalCluster.open(plan.folder(), SystemClock.INSTANCE);
      assertThat(opened.members()).isEqualTo(cluster.members());
      for (int i = 0; i < PAUSES; i++) {
        opened.signal("rs1", Signal.STOP);
        assertThat(cluster.member("rs1").state()).isEqualTo(ClusterMember.State.PAUSED);
        opened.signal("rs1", Signal.CONT);
        TimeUnit.MILLISECONDS.sleep(100); // else its session ends on a busy machine
      }
      opened.kill("tm1");
      assertThat(cluster.member("tm1").state()).isEqualTo(ClusterMember.State.DEAD);
      assertThatThrownBy(() -> cluster.signal("tm1", Signal.TERM))
          .hasMessageContaining("does not run");
      cluster.start("tm1");
      cluster.awaitUsable(START, step -> {});
      assertThatThrownBy(() -> cluster.start("tm1")).hasMessageContaining("running already");

      assertThat(cluster.stopAll(Duration.ofSeconds(60))).isEmpty();
      assertThat(cluster.members()).allMatch(member -> member.state() == ClusterMember.State.DEAD);
      cluster.startAll();
      cluster.awaitUsable(START, step -> {});
      try (LamponeClient client = connect(cluster)) {
        assertThat(get(client)).isEqualTo("one");
      }
    } finally {
      cluster.stopAll(Duration.ofSeconds(1));
    }
  }

  /** Evaluates the dashboards' queries while a client works in each way. */
  private void dashboards(LocalCluster cluster, LamponeClient client) throws Exception {
    List<Integer> ports =
        cluster.members().stream()
            .filter(member -> member.role() == MemberRole.MANAGER)
            .map(ClusterMember::metricsPort)
            .toList();
    AtomicBoolean ended = new AtomicBoolean();
    ExecutorService worker = Executors.newSingleThreadExecutor();
    try (DashboardQueries queries = DashboardQueries.start(folder.resolve("prometheus"), ports);
        Connection hbase = ConnectionFactory.createConnection(configuration(cluster));
        Table plain = hbase.getTable(TABLE)) {
      Future<?> work =
          worker.submit(
              () -> {
                while (!ended.get()) {
                  workInEachWay(client, plain);
                }
                return true;
              });
      queries.requireResults();
      ended.set(true);
      work.get();
    } finally {
      ended.set(true);
      worker.shutdown();
    }
  }

  private static void workInEachWay(LamponeClient client, Table plain) throws Exception {
    put(client, "two");
    get(client);
    client.fastPath().table(TABLE).put(new Put(ROW).addColumn(FAMILY, ROW, ROW));
    client.fastPath().table(TABLE).get(new Get(ROW));
    client.execute(
        TransactionOptions.DEFAULT.withoutOneRegionCommit(),
        tx -> tx.table(TABLE).put(new Put(ROW).addColumn(FAMILY, ROW, ROW)));
    try (Transaction open = client.begin()) {
      open.table(TABLE).put(new Put(ROW).addColumn(FAMILY, ROW, ROW));
      try (ResultScanner scanner = open.table(TABLE).getScanner(new Scan())) {
        scanner.next();
      }
      get(client); // meets the intent
    }
    assertThatThrownBy(() -> conflict(client)).isInstanceOf(ConflictException.class);
    assertThatThrownBy(() -> plain.put(new Put(ROW).addColumn(FAMILY, ROW, ROW)))
        .hasMessageContaining("PLAIN_CLIENT");
  }

  /** Two transactions write the same row. */
  private static void conflict(LamponeClient client) throws IOException {
    try (Transaction late = client.begin()) {
      late.table(TABLE).put(new Put(ROW).addColumn(FAMILY, ROW, ROW));
      put(client, "three");
      late.commit();
    }
  }

  private static LamponeClient connect(LocalCluster cluster) throws IOException {
    return LamponeClient.connect(configuration(cluster));
  }

  private static Configuration configuration(LocalCluster cluster) {
    Configuration configuration = HBaseConfiguration.create();
    configuration.addResource(new org.apache.hadoop.fs.Path(cluster.clientSite().toUri()));
    return configuration;
  }

  private static void put(LamponeClient client, String value) throws IOException {
    client.run(
        tx -> {
          tx.table(TABLE)
              .put(new Put(ROW).addColumn(FAMILY, ROW, value.getBytes(StandardCharsets.UTF_8)));
          return true;
        });
  }

  private static String get(LamponeClient client) throws IOException {
    return client.run(
        tx ->
            new String(
                tx.table(TABLE).get(new Get(ROW)).getValue(FAMILY, ROW), StandardCharsets.UTF_8));
  }
}
