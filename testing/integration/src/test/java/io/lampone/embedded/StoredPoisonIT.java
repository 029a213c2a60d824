package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.Transaction;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.Retention;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Transaction cells that this version would not store: lists of 4 MB, garbage, leaders in
 * impossible places. Reads of their rows fail at once; all other work continues: regions open,
 * other rows are read and written, the healer heals rows behind them, compactions copy them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoredPoisonIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration RETENTION = Duration.ofSeconds(15);

  /** As many of them ended each region server with 768 MB of heap. */
  private static final int FAT_LEADERS = 20;

  private static final int FOLLOWERS = 690_000;

  private static final List<RowFamily> ILLEGAL =
      List.of(
          new RowFamily("", Bytes.utf8("r"), Bytes.wrap(FAMILY)),
          new RowFamily(":", Bytes.utf8("r"), Bytes.wrap(FAMILY)),
          new RowFamily("no table\n", Bytes.utf8("r"), Bytes.wrap(FAMILY)),
          new RowFamily("../../x", Bytes.utf8("r"), Bytes.wrap(FAMILY)),
          new RowFamily("hbase:meta", Bytes.utf8("r"), Bytes.wrap(FAMILY)),
          new RowFamily("t", Bytes.EMPTY, Bytes.wrap(FAMILY)));

  @TempDir private static Path folder;

  private EmbeddedHBase hbase;
  private TransactionManagerServer manager;
  private Connection connection;
  private LamponeClient client;

  @BeforeAll
  void start() throws Exception {
    hbase =
        EmbeddedHBase.start(
            EmbeddedHBaseConfig.builder(folder)
                .setting("lampone.healer.period", "200ms")
                .setting("lampone.healer.delay", "500ms")
                .build());
    manager =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .zookeeperQuorum(hbase.zooKeeperConnectString())
                .leaseDuration(Duration.ofSeconds(1))
                .leaseRenewInterval(Duration.ofMillis(200))
                .retention(new Retention(RETENTION, RETENTION))
                .build(),
            new MetricRegistry());
    manager.whenPrimary().get(60, TimeUnit.SECONDS);
    connection = ConnectionFactory.createConnection(hbase.configuration());
    client = LamponeClient.connect(hbase.configuration());
  }

  @AfterAll
  void stop() throws IOException {
    client.close();
    connection.close();
    manager.close();
    hbase.close();
  }

  @Test
  void leadersThatNameNoPlaceHarmTheirOwnRowOnly() throws Exception {
    TwoRows rows = TwoRows.create(client, connection, "illegal");
    rows.write(client, "good");
    long start = issued();
    for (int i = 0; i < ILLEGAL.size(); i++) {
      byte[] cell = TransactionCell.follower(ILLEGAL.get(i), 1).encode();
      plant(rows, "b" + i, start - i * Timestamps.TICK, cell);
    }
    plant(rows, "c-garbage", start, new byte[] {9, 9});
    long dead = dieWithIntent(rows, "d-dead");
    assertThat(rows.read(client)).isEqualTo("good good");

    long began = System.nanoTime();
    for (int i = 0; i < ILLEGAL.size(); i++) {
      assertCorrupt(rows, "b" + i);
    }
    assertCorrupt(rows, "c-garbage");
    assertThatThrownBy(() -> scan(rows, "a", "e")).satisfies(StoredPoisonIT::isCorrupt);
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(120));
    assertThat(scan(rows, "d", "zz")).as("rows behind").isEqualTo(1);

    StoredCells stored = new StoredCells(hbase, rows.table());
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(stored.states(dead)).containsExactly("d-dead=ABORTED"));
    reopen(stored);
    assertThat(rows.read(client)).isEqualTo("good good");
    assertCorrupt(rows, "b0");
  }

  @Test
  void theLongestListsAreOnlyDeadWeight() throws Exception {
    TwoRows rows = TwoRows.create(client, connection, "fat");
    rows.write(client, "good");
    long start = issued();
    byte[] fat = longestLeader();
    for (int i = 0; i < FAT_LEADERS; i++) {
      plant(rows, "a", start - i * Timestamps.TICK, fat);
    }
    long dead = dieWithIntent(rows, "b-dead");
    StoredCells stored = new StoredCells(hbase, rows.table());
    long began = System.nanoTime();
    assertThat(rows.read(client)).isEqualTo("good good");
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(120));
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(stored.states(dead)).containsExactly("b-dead=ABORTED"));
    reopen(stored);
    assertThat(rows.read(client)).isEqualTo("good good");
  }

  /** The last timestamp that was issued. */
  private long issued() throws IOException {
    try (Transaction tx = client.begin()) {
      return tx.startTimestamp();
    }
  }

  /** Bypasses every observer, like a restored file. */
  private void plant(TwoRows rows, String row, long start, byte[] transactionCell)
      throws IOException {
    for (HRegion region : new StoredCells(hbase, rows.table()).regions()) {
      if (region.getRegionInfo().containsRow(bytes(row))) {
        var store = region.getStore(FAMILY);
        store.add(new KeyValue(bytes(row), FAMILY, COLUMN, start, bytes("planted")), null);
        store.add(
            new KeyValue(
                bytes(row), FAMILY, Reserved.TRANSACTION.toArray(), start, transactionCell),
            null);
      }
    }
  }

  private static byte[] longestLeader() {
    Encoder out = new Encoder(4 << 20);
    out.u8(1).u8(1).i64(0).i64(1).slots(SlotSet.NONE).u8(1).bool(true).length(FOLLOWERS);
    for (int i = 0; i < FOLLOWERS; i++) {
      out.length(1).u8('t').length(1).u8(i).length(1).u8('f');
    }
    return out.length(0).toByteArray();
  }

  private long dieWithIntent(TwoRows rows, String row) throws IOException {
    Configuration eager = new Configuration(hbase.configuration());
    eager.set("lampone.client.buffer.bytes", "0");
    try (LamponeClient dying = LamponeClient.connect(eager)) {
      Transaction tx = dying.begin();
      rows.put(tx, row, "never");
      return tx.startTimestamp();
    }
  }

  private void assertCorrupt(TwoRows rows, String row) {
    assertThatThrownBy(
            () ->
                client.run(
                    tx -> {
                      try (Table table = tx.table(rows.table())) {
                        return table.get(new Get(bytes(row)));
                      }
                    }))
        .as(row)
        .satisfies(StoredPoisonIT::isCorrupt);
  }

  private static void isCorrupt(Throwable failure) {
    assertThat(failure)
        .isInstanceOfSatisfying(
            LamponeException.class, e -> assertThat(e.code()).isEqualTo(Code.CORRUPT))
        .hasMessageContaining("lampone doctor");
  }

  private int scan(TwoRows rows, String from, String to) throws IOException {
    return client.run(
        tx -> {
          int found = 0;
          try (Table table = tx.table(rows.table());
              ResultScanner scanner =
                  table.getScanner(new Scan().withStartRow(bytes(from)).withStopRow(bytes(to)))) {
            for (Result row = scanner.next(); row != null; row = scanner.next()) {
              found++;
            }
          }
          return found;
        });
  }

  /** Flushes, compacts, closes and opens all regions. */
  private void reopen(StoredCells stored) throws IOException {
    stored.compact();
    try (var admin = connection.getAdmin()) {
      for (HRegion region : stored.regions()) {
        admin.unassign(region.getRegionInfo().getEncodedNameAsBytes(), false);
        admin.assign(region.getRegionInfo().getEncodedNameAsBytes());
      }
    }
    await().atMost(PATIENCE).until(() -> stored.regions().size() == 2);
  }
}
