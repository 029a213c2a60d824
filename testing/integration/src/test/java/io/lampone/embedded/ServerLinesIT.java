package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.fastpath.FastPathTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connections of a client's own to region servers (ADR 50), against real ones. */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServerLinesIT {

  private static final byte[] COUNTER = Bytes.toBytes("counter");
  private static final String LINES = "lampone.client.server.lines";
  private static final int THREADS = 6;
  private static final int INCREMENTS = 300;

  private final EmbeddedLampone cluster;
  private final LamponeClient owner;
  private TwoRows rows;

  ServerLinesIT(EmbeddedLampone cluster, LamponeClient owner) {
    this.cluster = cluster;
    this.owner = owner;
  }

  @BeforeAll
  void create() throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      rows = TwoRows.create(owner, connection, "lines");
    }
    move(0, 1);
  }

  /** The two regions to these servers. */
  private void move(int first, int second) throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      List<RegionInfo> regions = connection.getAdmin().getRegions(rows.table());
      cluster.hbase().moveRegion(regions.get(0), first);
      cluster.hbase().moveRegion(regions.get(1), second);
    }
  }

  private LamponeClient connect(int lines) throws IOException {
    Configuration configuration = new Configuration(cluster.configuration());
    configuration.setInt(LINES, lines);
    return LamponeClient.connect(configuration);
  }

  /** Runs until the next calls use a direct connection, to either server. */
  private void warmUp(LamponeClient client) throws Exception {
    for (String row : List.of(LEADER, FOLLOWER)) {
      long before;
      do {
        before = client.metrics().lineCalls();
        read(client, row);
        Thread.sleep(1);
      } while (client.metrics().lineCalls() == before);
    }
  }

  private String read(LamponeClient client, String row) throws IOException {
    return Bytes.toString(table(client).get(new Get(Bytes.toBytes(row))).getValue(FAMILY, COLUMN));
  }

  private FastPathTable table(LamponeClient client) {
    return client.fastPath().table(rows.table());
  }

  private static Put put(String row, String value) {
    return new Put(Bytes.toBytes(row)).addColumn(FAMILY, COLUMN, Bytes.toBytes(value));
  }

  @Test
  void whatIsAboutOneRowGoesByThem() throws Exception {
    try (LamponeClient client = connect(4)) {
      warmUp(client);
      long before = client.metrics().lineCalls();
      table(client).put(put(LEADER, "fast"));
      assertThat(read(client, LEADER)).isEqualTo("fast");
      assertThat(table(client).readForUpdate(new Get(Bytes.toBytes(LEADER))).result().isEmpty())
          .isFalse();
      assertThat(client.metrics().lineCalls() - before).isEqualTo(3);
      before = client.metrics().lineCalls();
      client.run(
          tx -> {
            rows.put(tx, FOLLOWER, "regular");
            return null;
          });
      assertThat(client.metrics().lineCalls() - before).as("a commit in one region").isOne();
      before = client.metrics().lineCalls();
      assertThat(rows.read(client)).isEqualTo("fast regular");
      assertThat(client.metrics().lineCalls() - before).as("gets in a transaction").isEqualTo(2);
      before = client.metrics().lineCalls();
      String large = "x".repeat(100_000);
      table(client).put(put(LEADER, large));
      assertThat(client.metrics().lineCalls())
          .as("too long to be written blindly")
          .isEqualTo(before);
      assertThat(read(client, LEADER)).isEqualTo(large);
      assertThat(client.metrics().lineCalls() - before).isOne();
    }
  }

  /** Reads the first page by a direct connection, the rest by HBase's scanner; each row once. */
  @Test
  void aScanBeginsWithAPage() throws Exception {
    int count = 500;
    owner.run(
        tx -> {
          for (int i = 0; i < count; i++) {
            rows.put(tx, String.format("b%04d", i), "value" + i);
          }
          return null;
        });
    Configuration configuration = new Configuration(cluster.configuration());
    configuration.set("lampone.client.scan.buffer.bytes", "100"); // so that it has to stop
    try (LamponeClient client = LamponeClient.connect(configuration)) {
      warmUp(client);
      for (int caching : new int[] {1, 7, 499, 500, 501, 10_000}) {
        for (int limit : new int[] {0, 1, 300, 500}) {
          long before = client.metrics().lineCalls();
          Scan scan =
              new Scan()
                  .withStartRow(Bytes.toBytes("b"))
                  .withStopRow(Bytes.toBytes("c"))
                  .setCaching(caching);
          if (limit > 0) {
            scan.setLimit(limit);
          }
          List<String> found = new ArrayList<>();
          try (Transaction tx = client.readOnly();
              Table table = tx.table(rows.table());
              ResultScanner scanner = table.getScanner(scan)) {
            for (Result result : scanner) {
              found.add(Bytes.toString(result.getRow()));
            }
          }
          assertThat(found)
              .as("caching %d limit %d", caching, limit)
              .hasSize(limit > 0 ? limit : count)
              .isSorted()
              .doesNotHaveDuplicates();
          assertThat(client.metrics().lineCalls() - before).isOne();
        }
      }
    }
  }

  @Test
  void withoutThemAllGoesByHBasesConnection() throws Exception {
    try (LamponeClient client = connect(0)) {
      for (int i = 0; i < 50; i++) {
        table(client).put(put(FOLLOWER, "value" + i));
        assertThat(read(client, FOLLOWER)).isEqualTo("value" + i);
      }
      assertThat(client.metrics().lineCalls()).isZero();
    }
  }

  @Test
  void aTableThatIsNotThereIsSaidToBeMissing() throws Exception {
    try (LamponeClient client = connect(4)) {
      warmUp(client);
      TableName gone = TableName.valueOf("lines-gone");
      try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
        TwoRows other = TwoRows.create(owner, connection, "lines-gone");
        client.fastPath().table(other.table()).put(put(LEADER, "last"));
        connection.getAdmin().disableTable(gone);
        connection.getAdmin().deleteTable(gone);
      }
      assertThatThrownBy(() -> client.fastPath().table(gone).get(new Get(Bytes.toBytes(LEADER))))
          .hasMessageContaining("LP-402");
      assertThat(read(client, FOLLOWER)).as("and the others go on").isNotNull();
    }
  }

  /** Each increment is applied once, whichever connection breaks or server fails. */
  @Test
  void nothingIsLostOrDoneTwiceWhileRegionsMove() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (LamponeClient client = connect(2)) {
      warmUp(client);
      List<Future<?>> work = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        String row = i % 2 == 0 ? LEADER : FOLLOWER;
        work.add(
            threads.submit(
                () -> {
                  for (int n = 0; n < INCREMENTS; n++) {
                    table(client)
                        .increment(new Increment(Bytes.toBytes(row)).addColumn(FAMILY, COUNTER, 1));
                  }
                  return null;
                }));
      }
      for (int i = 0; i < 4; i++) {
        move((i + 1) % 2, i % 2);
      }
      for (Future<?> each : work) {
        each.get();
      }
      for (String row : List.of(LEADER, FOLLOWER)) {
        byte[] value = table(client).get(new Get(Bytes.toBytes(row))).getValue(FAMILY, COUNTER);
        assertThat(Bytes.toLong(value)).isEqualTo((long) INCREMENTS * THREADS / 2);
      }
      assertThat(client.metrics().lineCalls()).isGreaterThan(INCREMENTS);
    } finally {
      threads.shutdownNow();
    }
  }
}
