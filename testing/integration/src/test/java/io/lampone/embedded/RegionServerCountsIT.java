package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.ConflictLevel;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
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
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Counts of region servers in JMX, after work of each kind. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RegionServerCountsIT {

  private static final TableName TABLE = TableName.valueOf("counted");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final MBeanServer JMX = ManagementFactory.getPlatformMBeanServer();

  @TempDir private Path folder;

  private final Set<ObjectName> others = new HashSet<>();

  @Test
  void requestsRefusalsAndCollectedCells_areCounted() throws Exception {
    others.addAll(servers());
    EmbeddedHBaseConfig config =
        EmbeddedHBaseConfig.builder(folder.resolve("c")).regionServers(1).build();
    try (EmbeddedLampone cluster = EmbeddedLampone.start(config);
        LamponeClient client = LamponeClient.connect(cluster.configuration());
        Connection plain = ConnectionFactory.createConnection(cluster.configuration())) {
      client
          .admin()
          .createTable(
              TableDescriptorBuilder.newBuilder(TABLE)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                  .build(),
              ConflictLevel.ROW,
              Bytes.toBytes("m"));
      client.execute(
          TransactionOptions.DEFAULT.withoutOneRegionCommit(),
          tx -> {
            tx.table(TABLE).put(put("a"));
            tx.table(TABLE).put(put("z"));
          });
      client.execute(tx -> tx.table(TABLE).put(put("a")));
      client.fastPath().table(TABLE).put(put("a"));
      try (Table table = plain.getTable(TABLE)) {
        assertThatThrownBy(() -> table.put(put("b"))).hasMessageContaining("PLAIN_CLIENT");
      }
      meetAnIntent(client);
      assertThat(counts("Counts").get("intentsMet")).isPositive();
      assertThat(counts("Requests"))
          .containsEntry("Flush", 4L)
          .containsEntry("CommitLeader", 1L)
          .containsEntry("OneRegionCommit", 1L)
          .containsEntry("FastWrite", 1L);
      assertThat(counts("Refusals")).containsEntry("PLAIN_CLIENT", 1L);

      long now = client.run(tx -> tx.startTimestamp());
      cluster.advanceSafePoint(now).get(30, TimeUnit.SECONDS);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (counts("Counts").get("cellsDropped") == 0 && System.nanoTime() < deadline) {
        cluster.compact(TABLE);
        Thread.sleep(100);
      }
      Map<String, Long> further = counts("Counts");
      assertThat(further.get("cellsDropped")).isPositive();
      assertThat(further.get("cellsKept") + further.get("cellsFrozen")).isPositive();
      assertThat(further).containsEntry("births", 2L).containsKeys("waits", "tickWaits");
      Map<String, Long> state = counts("State");
      assertThat(state.get("safePointLagMillis")).isBetween(0L, 120_000L);
      assertThat(state.get("clockLagMillis")).isBetween(-10_000L, 10_000L);
      assertThat(state.get("epoch")).isEqualTo(1);
      assertThat(state.get("openRegions")).isBetween(2L, 10L);
      assertThat(state.get("rememberedRows")).isPositive();
    }
  }

  private static Put put(String row) {
    return new Put(Bytes.toBytes(row)).addColumn(FAMILY, FAMILY, Bytes.toBytes(1));
  }

  /** The servers of this JVM, which may also be those of other tests. */
  private static Set<ObjectName> servers() throws Exception {
    return JMX.queryNames(new ObjectName("io.lampone:type=RegionServer,*"), null);
  }

  private Object attribute(String name) throws Exception {
    Set<ObjectName> own = servers();
    own.removeAll(others);
    assertThat(own).hasSize(1);
    return JMX.getAttribute(own.iterator().next(), name);
  }

  /** Reads a row while another transaction has written it out and not committed. */
  private static void meetAnIntent(LamponeClient client) throws Exception {
    try (Transaction writer = client.begin(TransactionOptions.DEFAULT.withoutOneRegionCommit())) {
      writer.table(TABLE).put(put("b"));
      writer.table(TABLE).put(put("y"));
      try (ResultScanner own = writer.table(TABLE).getScanner(new Scan())) {
        assertThat(own.next()).isNotNull(); // flushes
      }
      client.run(tx -> tx.table(TABLE).get(new Get(Bytes.toBytes("b"))));
    }
  }

  private Map<String, Long> counts(String name) throws Exception {
    Map<String, Long> counts = new TreeMap<>();
    for (Object row : ((TabularData) attribute(name)).values()) {
      CompositeData entry = (CompositeData) row;
      counts.put((String) entry.get("key"), (Long) entry.get("value"));
    }
    return counts;
  }
}
