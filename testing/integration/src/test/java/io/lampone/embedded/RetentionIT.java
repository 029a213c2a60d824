package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static io.lampone.embedded.TwoRows.NOTHING;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.lampone.client.ConflictException;
import io.lampone.client.Freshness;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.SnapshotTooOldException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.hbase.TableRetention;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.Retention;
import io.lampone.tmclient.discovery.ZooKeeperAddressSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a retention of seconds: older snapshots (protocol page, section 7). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RetentionIT {

  private static final Duration RETENTION = Duration.ofSeconds(5);

  /** Longer than the time in which every region receives a change. */
  private static final Duration KEPT = Duration.ofHours(2);

  @TempDir private static Path folder;

  private EmbeddedHBase hbase;
  private TransactionManagerServer manager;
  private ZooKeeperAddressSource record;
  private Connection connection;
  private LamponeClient client;
  private TwoRows rows;

  @BeforeAll
  void start() throws Exception {
    hbase = EmbeddedHBase.start(EmbeddedHBaseConfig.builder(folder).build());
    manager =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .zookeeperQuorum(hbase.zooKeeperConnectString())
                .retention(new Retention(RETENTION, Duration.ofSeconds(5)))
                .build(),
            new MetricRegistry());
    manager.whenPrimary().get(60, TimeUnit.SECONDS);
    record =
        ZooKeeperAddressSource.connect(
            hbase.zooKeeperConnectString(), ManagerRecord.DEFAULT_PARENT);
    connection = ConnectionFactory.createConnection(hbase.configuration());
    client = LamponeClient.connect(hbase.configuration());
    rows = TwoRows.create(client, connection, "retention");
  }

  @AfterAll
  void stop() throws IOException {
    client.close();
    connection.close();
    record.close();
    manager.close();
    hbase.close();
  }

  /** B7: only the transaction manager moves the safe point. */
  @Test
  void aSnapshotOlderThanTheRetentionIsRefusedWhereItBegins() throws Exception {
    rows.write(client, "old");
    long snapshot;
    try (Transaction tx = client.readOnly()) {
      snapshot = tx.startTimestamp();
    }
    try (Transaction past = client.asOf(snapshot)) {
      assertThat(rows.get(past, LEADER)).isEqualTo("old");
    }
    rows.write(client, "new");
    awaitSafePointAbove(snapshot);
    assertThatExceptionOfType(SnapshotTooOldException.class)
        .isThrownBy(() -> client.asOf(snapshot))
        .extracting(LamponeException::code)
        .isEqualTo(LamponeException.Code.SNAPSHOT_TOO_OLD);
    assertThat(rows.read(client)).isEqualTo("new new");
  }

  @Test
  void aTransactionThatLivesLongerThanTheRetentionReadsAndCommitsAllTheSame() throws Exception {
    rows.write(client, "before");
    long snapshot;
    try (Transaction tx = client.begin()) {
      snapshot = tx.startTimestamp();
      assertThat(rows.get(tx, LEADER)).isEqualTo("before");
      long end = System.nanoTime() + RETENTION.multipliedBy(3).toNanos();
      await()
          .atMost(Duration.ofMinutes(2))
          .until(
              () -> {
                try (Transaction other = client.begin()) {
                  rows.put(other, "other", "churn");
                  other.commit();
                }
                assertThat(rows.get(tx, FOLLOWER)).isEqualTo("before");
                assertThat(safePoint()).isLessThanOrEqualTo(snapshot);
                return System.nanoTime() - end > 0;
              });
      rows.putBoth(tx, "after");
      tx.commit();
    }
    assertThat(rows.read(client)).isEqualTo("after after");
    awaitSafePointAbove(snapshot);
  }

  /** ADR 95: a transaction without a snapshot, and a version that looks older than it is. */
  @Test
  void aFrozenVersionIsNotTakenForAnOlderOne() throws Exception {
    TwoRows table = TwoRows.create(client, connection, "frozen-latest");
    table.write(client, "old");
    try (LamponeClient reader = LamponeClient.connect(hbase.configuration());
        Transaction writer = client.begin();
        Transaction latest =
            reader.begin(TransactionOptions.DEFAULT.asReadOnly().withFreshness(Freshness.LATEST))) {
      reader.readOnly().close(); // its mark is above the writer's start
      assertThat(table.get(latest, LEADER)).isEqualTo("old");
      table.putBoth(writer, "new");
      writer.commit();
      awaitCollected(table, 2);
      assertThatExceptionOfType(ConflictException.class)
          .isThrownBy(() -> table.get(latest, FOLLOWER));
    }
  }

  /** Longer retention per table: each table decides which snapshots are too old. */
  @Test
  void aTableThatKeepsLongerIsReadBelowTheSafePointOfTheClusterAndAnotherOneIsNot()
      throws Exception {
    TwoRows kept = TwoRows.create(client, connection, "kept-longer");
    TwoRows usual = TwoRows.create(client, connection, "kept-as-usual");
    keepLongerSinceLongAgo(kept);
    for (TwoRows table : List.of(kept, usual)) {
      table.write(client, "hidden");
      table.write(client, "old");
    }
    final long snapshot;
    try (Transaction tx = client.readOnly()) {
      snapshot = tx.startTimestamp();
    }
    for (TwoRows table : List.of(kept, usual)) {
      table.write(client, "new");
      client.run(
          tx -> {
            try (Table t = tx.table(table.table())) {
              t.delete(new Delete(bytes(FOLLOWER)));
            }
            return null;
          });
    }
    awaitCollected(usual);
    // Again, raised, lowered: existing data stays.
    for (Duration extra : List.of(KEPT, KEPT.plusHours(1), KEPT)) {
      client.admin().keepLonger(kept.table(), extra);
      new StoredCells(hbase, kept.table()).compact();
    }

    try (Transaction past = client.asOf(snapshot)) {
      assertThat(kept.get(past, FOLLOWER)).isEqualTo("old");
      assertThat(kept.get(past, LEADER)).isEqualTo("old");
      assertThatExceptionOfType(SnapshotTooOldException.class)
          .isThrownBy(() -> usual.get(past, LEADER));
      assertThat(kept.get(past, FOLLOWER)).as("afterwards, too").isEqualTo("old");
    }
    assertThat(kept.read(client)).isEqualTo("new " + NOTHING);

    client.admin().keepLonger(kept.table(), Duration.ZERO);
    awaitCollected(kept);
    assertThatExceptionOfType(SnapshotTooOldException.class)
        .as("no table keeps longer any more")
        .isThrownBy(() -> client.asOf(snapshot));
    assertThat(kept.read(client)).isEqualTo("new " + NOTHING);
  }

  @Test
  void aTableThatWasPlainMeanwhileHasNoPast() throws Exception {
    TwoRows kept = new TwoRows(TableName.valueOf("kept-and-plain"));
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(kept.table())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(TwoRows.FAMILY))
                .build(),
            ConflictLevel.ROW);
    keepLongerSinceLongAgo(kept);
    kept.write(client, "old");
    final long snapshot;
    try (Transaction tx = client.readOnly()) {
      snapshot = tx.startTimestamp();
    }
    kept.write(client, "new");
    client.admin().disableTable(kept.table());
    try (Table plain = connection.getTable(kept.table())) {
      plain.put(new Put(bytes(LEADER)).addColumn(TwoRows.FAMILY, TwoRows.COLUMN, bytes("plain")));
    }
    client.admin().enableTable(kept.table(), ConflictLevel.ROW);
    awaitSafePointAbove(snapshot);

    try (Transaction past = client.asOf(snapshot)) {
      assertThatExceptionOfType(SnapshotTooOldException.class)
          .isThrownBy(() -> kept.get(past, LEADER));
    } finally {
      client.admin().keepLonger(kept.table(), Duration.ZERO);
    }
    assertThat(kept.read(client)).isEqualTo("plain new");
  }

  /** As {@code keepLonger} an hour ago: applies first to transactions that begin an hour later. */
  private void keepLongerSinceLongAgo(TwoRows rows) throws IOException {
    try (Admin admin = connection.getAdmin();
        Transaction now = client.readOnly()) {
      admin.modifyTable(
          TableRetention.keepLonger(
                  TableDescriptorBuilder.newBuilder(admin.getDescriptor(rows.table())),
                  KEPT,
                  now.startTimestamp())
              .build());
    }
  }

  /** Waits until only its newest value is left. */
  private void awaitCollected(TwoRows table) {
    awaitCollected(table, 1);
  }

  private void awaitCollected(TwoRows table, int left) {
    StoredCells stored = new StoredCells(hbase, table.table());
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              stored.compact();
              assertThat(stored.all()).hasSize(left);
            });
  }

  private void awaitSafePointAbove(long snapshot) {
    await().atMost(Duration.ofMinutes(2)).until(() -> safePoint() > snapshot);
  }

  private long safePoint() throws Exception {
    return record.record().get(60, TimeUnit.SECONDS).orElseThrow().safePoint();
  }
}
