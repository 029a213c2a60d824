package io.lampone.embedded;

import static io.lampone.embedded.Layout.FAMILY;
import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.ConflictException;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.client.hbase.transport.ClientMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Counts and durations of a client's work, in JMX. */
@ExtendWith(SharedCluster.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClientMetricsIT {

  private static final byte[] Q = bytes("q");
  private static final String FIRST = "a-metrics";
  private static final String SECOND = "z-metrics";

  private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
  private final EmbeddedLampone cluster;
  private final LamponeClient shared;

  ClientMetricsIT(EmbeddedLampone cluster, LamponeClient shared) {
    this.cluster = cluster;
    this.shared = shared;
  }

  @BeforeEach
  void createTables() throws IOException {
    Layout.TWO_REGIONS.createTable(shared.admin());
    Layout.ONE_REGION.createTable(shared.admin());
  }

  @Test
  void waysOfCommit_conflicts_andPhases_areCounted() throws Exception {
    Set<ObjectName> before = names();
    ObjectName name;
    try (LamponeClient client = LamponeClient.connect(cluster.clientConfiguration())) {
      Set<ObjectName> added = names();
      added.removeAll(before);
      assertThat(added).hasSize(1);
      name = added.iterator().next();
      client.run(tx -> put(tx, Layout.ONE_REGION, FIRST));
      client.run(
          tx -> {
            tx.table(Layout.TWO_REGIONS.table()).get(new Get(bytes(FIRST)));
            put(tx, Layout.TWO_REGIONS, FIRST);
            return put(tx, Layout.TWO_REGIONS, SECOND);
          });
      scan(client);
      conflict(client);
      try (Transaction abandoned = client.begin()) {
        put(abandoned, Layout.ONE_REGION, FIRST);
      }
      serializable(client);
      client
          .fastPath()
          .table(Layout.ONE_REGION.table())
          .apply(FastPathOperation.of(new Put(bytes(SECOND)).addColumn(FAMILY, Q, Q)));
      client.fastPath().table(Layout.ONE_REGION.table()).get(new Get(bytes(SECOND)));
      assertThat(client.metrics().prometheus())
          .contains("lampone_client_transactions_total{event=\"conflict.write-write\"} 1\n")
          .contains("lampone_client_phase_seconds_count{phase=\"certify\"} 1\n");

      ClientMXBean bean = JMX.newMXBeanProxy(server, name, ClientMXBean.class);
      assertThat(bean.getTransactions())
          .containsEntry("begin", 8L)
          .containsEntry("committed.one-region", 3L)
          .containsEntry("committed.by-intents", 2L)
          .containsEntry("committed.without-writes", 1L)
          .containsEntry("conflict.write-write", 1L)
          .containsEntry("rolled-back", 1L)
          .containsEntry("retry", 1L)
          .containsEntry("scan", 1L);
      assertThat(bean.getRequests().get("fastWrites")).isPositive();
      Map<String, Long> counts = new TreeMap<>();
      bean.getLatencyBuckets()
          .forEach(
              (phase, buckets) -> buckets.values().forEach(n -> counts.merge(phase, n, Long::sum)));
      assertThat(counts)
          .containsEntry("begin", 8L)
          .containsEntry("read", 2L)
          .containsEntry("commit", 7L)
          .containsEntry("flush", 2L)
          .containsEntry("validate", 2L)
          .containsEntry("certify", 1L)
          .containsEntry("leader", 2L)
          .containsEntry("fast-read", 1L)
          .containsEntry("fast-write", 1L)
          .containsKey("one-region");
      // Whether an intent was met that was not settled yet is chance, and what is known of it takes
      // no
      // time.
      counts.values().removeIf(count -> count == 0);
      counts.remove("resolve");
      Map<String, Long> sums = bean.getLatencyNanos();
      assertThat(counts.keySet()).allSatisfy(phase -> assertThat(sums.get(phase)).isPositive());
    }
    assertThat(server.isRegistered(name)).isFalse();
  }

  /** Without a buffer every write is sent at once; the conflict is found before the commit. */
  @Test
  void earlyFlushes_andConflictsThatTheyMeet_areCounted() throws Exception {
    Configuration configuration = new Configuration(cluster.clientConfiguration());
    configuration.set("lampone.client.buffer.bytes", "0");
    try (LamponeClient client = LamponeClient.connect(configuration)) {
      try (Transaction late = client.begin()) {
        shared.run(tx -> put(tx, Layout.ONE_REGION, FIRST));
        assertThatThrownBy(() -> put(late, Layout.ONE_REGION, FIRST))
            .isInstanceOf(ConflictException.class);
      }
      assertThat(client.metrics().transactions())
          .containsEntry("conflict.write-write", 1L)
          .doesNotContainKey("rolled-back");
      assertThat(client.metrics().latencies().get("early-flush").count()).isEqualTo(1);
    }
  }

  @Test
  void switchedOff_nothingIsShown() throws Exception {
    Set<ObjectName> before = names();
    Configuration configuration = new Configuration(cluster.clientConfiguration());
    configuration.set("lampone.client.metrics", "false");
    configuration.set("lampone.client.slow.transaction", "0");
    try (LamponeClient client = LamponeClient.connect(configuration)) {
      client.run(tx -> put(tx, Layout.TWO_REGIONS, FIRST));
      assertThat(client.metrics().transactions()).isEmpty();
      assertThat(client.metrics().latencies()).isEmpty();
      assertThat(names()).isEqualTo(before);
    }
  }

  private static void scan(LamponeClient client) throws IOException {
    client.run(
        tx -> {
          try (ResultScanner scanner =
              tx.table(Layout.TWO_REGIONS.table()).getScanner(new Scan())) {
            return scanner.next();
          }
        });
  }

  /** Lets the first attempt fail. */
  private static void conflict(LamponeClient client) throws IOException {
    AtomicInteger attempts = new AtomicInteger();
    client.run(
        tx -> {
          put(tx, Layout.ONE_REGION, FIRST);
          if (attempts.incrementAndGet() == 1) {
            try (Transaction other = client.begin()) {
              put(other, Layout.ONE_REGION, FIRST);
              other.commit();
            }
          }
          return true;
        });
  }

  private static void serializable(LamponeClient client) throws IOException {
    client.run(
        TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE),
        tx -> {
          tx.table(Layout.TWO_REGIONS.table()).get(new Get(bytes("a-certified")));
          return put(tx, Layout.TWO_REGIONS, SECOND);
        });
  }

  private static boolean put(Transaction tx, Layout layout, String row) throws IOException {
    tx.table(layout.table()).put(new Put(bytes(row)).addColumn(FAMILY, Q, Q));
    return true;
  }

  private Set<ObjectName> names() throws Exception {
    return new HashSet<>(server.queryNames(new ObjectName("io.lampone:type=Client,*"), null));
  }
}
