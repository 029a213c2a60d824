package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.bytes;
import static io.lampone.embedded.RunningCluster.get;
import static io.lampone.embedded.RunningCluster.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.ClientMetrics;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.regionserver.MetricsRegionServerWrapper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Number of calls at the servers for the steps of a transaction, counted by the servers themselves.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RoundTripsIT {

  /** Longest wait on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final int SERVERS = 2;
  private static final List<String> ROWS = List.of("a", "b", "c", "n", "o", "p", "x", "y", "z");

  @TempDir private static Path directory;

  private static RunningCluster cluster;
  private static LamponeClient client;
  private static TableName table;

  @BeforeAll
  static void start() throws IOException {
    cluster = RunningCluster.start(directory);
    client = cluster.client();
    table = cluster.createTable("trips", ConflictLevel.ROW, "g", "m", "t");
    try (Connection connection =
        ConnectionFactory.createConnection(cluster.hbase().configuration())) {
      List<RegionInfo> regions = connection.getAdmin().getRegions(table);
      for (int i = 0; i < regions.size(); i++) {
        cluster.hbase().moveRegion(regions.get(i), i % SERVERS);
      }
    }
    // Fills the client's caches of regions and descriptors.
    client.run(
        tx -> {
          for (String row : ROWS) {
            put(tx, table, row, "old");
          }
          return null;
        });
    client.run(tx -> tx.table(table).get(gets()));
    settle();
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void aReadOnlyTransactionCostsOneCallForEachGetAndNothingAtCommit() throws IOException {
    long[] before = calls();
    ClientMetrics clientBefore = client.metrics();
    try (Transaction tx = client.begin()) {
      for (String row : ROWS) {
        assertThat(get(tx, table, row)).isEqualTo("old");
      }
      long[] read = calls();
      tx.commit();
      assertThat(calls()).isEqualTo(read);
      assertThat(read[GETS] - before[GETS]).isEqualTo(ROWS.size());
      assertThat(read[MULTIS]).isEqualTo(before[MULTIS]);
      assertThat(read[MUTATES]).isEqualTo(before[MUTATES]);
    }
    assertThat(client.metrics().gets() - clientBefore.gets()).isEqualTo(ROWS.size());
    assertThat(client.metrics().leaderReads()).isEqualTo(clientBefore.leaderReads());
  }

  @Test
  void severalGetsTogetherCostOneCallForEachServer() throws IOException {
    long[] before = calls();
    try (Transaction tx = client.begin()) {
      assertThat(tx.table(table).get(gets())).hasSize(ROWS.size());
    }
    assertThat(calls()[MULTIS] - before[MULTIS]).isEqualTo(SERVERS);
    assertThat(calls()[GETS]).isEqualTo(before[GETS]);
  }

  @Test
  void aWriteOfManyRowsCostsOneCallForEachServerAndOneForTheCommit() throws IOException {
    TableName written = cluster.createTable("written", ConflictLevel.ROW, "g", "m", "t");
    client.run(
        tx -> {
          for (String row : ROWS) {
            put(tx, written, row, "old");
          }
          return null;
        });
    settle();
    ClientMetrics clientBefore = client.metrics();
    long[] before = calls();
    try (Transaction tx = client.begin()) {
      for (String row : ROWS) {
        put(tx, written, row, "new");
      }
      assertThat(calls()).isEqualTo(before);
      tx.commit();
    }
    ClientMetrics after = client.metrics();
    assertThat(after.flushBatches() - clientBefore.flushBatches()).isOne();
    assertThat(after.flushRequests() - clientBefore.flushRequests()).isEqualTo(3);
    assertThat(after.leaderWrites() - clientBefore.leaderWrites()).isBetween(1L, 2L);
    settle();
    long[] settled = calls();
    // Flush and healing: at most one call for each server; leader to COMMITTED, then to FINAL.
    assertThat(settled[MULTIS] - before[MULTIS]).isLessThanOrEqualTo(2L * SERVERS);
    assertThat(settled[MUTATES] - before[MUTATES]).isEqualTo(2);
    assertThat(settled[GETS]).isEqualTo(before[GETS]);
  }

  private static final int GETS = 0;
  private static final int MULTIS = 1;
  private static final int MUTATES = 2;

  /** Calls that both servers have got: gets, multis, single mutations. */
  private static long[] calls() {
    long[] sums = new long[3];
    for (int i = 0; i < SERVERS; i++) {
      MetricsRegionServerWrapper server =
          cluster.hbase().regionServer(i).getMetrics().getRegionServerWrapper();
      sums[GETS] += server.getRpcGetRequestsCount();
      sums[MULTIS] += server.getRpcMultiRequestsCount();
      sums[MUTATES] += server.getRpcMutateRequestsCount();
    }
    return sums;
  }

  /** Waits until the work after commits has ended. */
  private static void settle() {
    long[][] last = {calls()};
    int[] quiet = {0};
    Awaitility.await()
        .atMost(PATIENCE)
        .pollDelay(500, TimeUnit.MILLISECONDS)
        .pollInterval(500, TimeUnit.MILLISECONDS)
        .until(
            () -> {
              long[] now = calls();
              quiet[0] = java.util.Arrays.equals(now, last[0]) ? quiet[0] + 1 : 0;
              last[0] = now;
              return quiet[0] == 2;
            });
  }

  private static List<Get> gets() {
    List<Get> gets = new ArrayList<>();
    ROWS.forEach(row -> gets.add(new Get(bytes(row))));
    return gets;
  }
}
