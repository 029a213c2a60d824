package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static io.lampone.embedded.TwoRows.NOTHING;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lampone.client.ConflictException;
import io.lampone.client.FastPathResult;
import io.lampone.client.FastPathTable;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Values that expire, as each kind of reader and writer meets them (protocol page, section 11). */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExpiryIT {

  /** Long enough for a machine with too much to do to begin a transaction meanwhile. */
  private static final Duration LIFETIME = Duration.ofSeconds(2);

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final LamponeClient client;
  private final EmbeddedLampone cluster;
  private final Connection connection;
  private final AtomicInteger tables = new AtomicInteger();
  private TwoRows rows;

  ExpiryIT(LamponeClient client, EmbeddedLampone cluster) throws IOException {
    this.client = client;
    this.cluster = cluster;
    this.connection = ConnectionFactory.createConnection(cluster.configuration());
  }

  @BeforeEach
  void createTable() throws IOException {
    rows = new TwoRows(TableName.valueOf("expiring_" + tables.incrementAndGet()));
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(rows.table())
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                        .setMaxVersions(3)
                        .setValue(TableRetention.TTL_KEY, Long.toString(LIFETIME.toMillis()))
                        .build())
                .build(),
            ConflictLevel.ROW,
            TwoRows.BORDER);
  }

  @AfterAll
  void disconnect() throws IOException {
    connection.close();
  }

  /** B7: a transaction that reads twice does not see a cell vanish because time goes by. */
  @Test
  void aSnapshotSeesToItsEndWhatLaterOnesDoNotSeeAnyMore() throws Exception {
    rows.write(client, "old");
    rows.write(client, "new");
    try (Transaction before = client.readOnly()) {
      assertThat(rows.get(before, LEADER)).isEqualTo("new");
      awaitExpiry();
      assertThat(rows.get(before, LEADER)).isEqualTo("new");
      assertThat(scan(before)).isEqualTo(2);
      try (Transaction tx = client.readOnly()) {
        assertThat(scan(tx)).isZero();
        // Nothing older comes to light.
        try (Table table = tx.table(rows.table())) {
          assertThat(table.get(new Get(bytes(LEADER)).readVersions(3)).isEmpty()).isTrue();
        }
      }
    }
  }

  /** HBase would drop the cell at its time, under every snapshot (ADR 26). */
  @Test
  void theTtlOfASingleCellIsRefusedWhoeverWritesItAndSaysWhatToDo() throws Exception {
    client.admin().enableTable(rows.table(), ConflictLevel.ROW, PlainClients.FAST_PATH);
    Put put = new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, bytes("v")).setTTL(60_000);
    Append append = new Append(bytes(LEADER)).addColumn(FAMILY, COLUMN, bytes("v")).setTTL(60_000);
    try (Transaction tx = client.begin();
        Table table = tx.table(rows.table());
        Table plain = connection.getTable(rows.table())) {
      List<ThrowingCallable> writes =
          List.of(
              () -> table.put(put),
              () -> table.put(List.of(put)),
              () -> client.fastPath().table(rows.table()).put(put),
              () -> client.fastPath().table(rows.table()).append(append),
              () -> plain.put(put),
              () -> plain.put(List.of(put)),
              () -> plain.append(append),
              () ->
                  plain.checkAndMutate(
                      CheckAndMutate.newBuilder(bytes(LEADER))
                          .ifNotExists(FAMILY, COLUMN)
                          .build(put)));
      for (ThrowingCallable write : writes) {
        assertThatThrownBy(write).hasStackTraceContaining("give its family a lifetime");
      }
      assertThat(scan(tx)).isZero();
    }
  }

  @Test
  void aWriterMeetsTheVersionThatHasExpired() throws Exception {
    try (Transaction early = client.begin()) {
      rows.write(client, "first");
      awaitExpiry();
      rows.put(early, LEADER, "second");
      assertThatExceptionOfType(ConflictException.class).isThrownBy(early::commit);
    }
    // And whoever has read a value may commit after it has expired: nobody has written.
    rows.write(client, "third");
    try (Transaction reader = client.begin()) {
      assertThat(rows.get(reader, LEADER)).isEqualTo("third");
      awaitExpiry();
      rows.put(reader, LEADER, "fourth");
      reader.commit();
    }
  }

  @Test
  void theFastPathTakesForAbsentWhatHasExpired() throws Exception {
    FastPathTable fast = client.fastPath().table(rows.table());
    fast.put(new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, Bytes.toBytes(41L)));
    fast.increment(new Increment(bytes(LEADER)).addColumn(FAMILY, COLUMN, 1));
    Get get = new Get(bytes(LEADER)).addColumn(FAMILY, COLUMN);
    assertThat(Bytes.toLong(fast.get(get).value())).isEqualTo(42);
    awaitExpiry();
    assertThat(fast.get(get).isEmpty()).isTrue();
    assertThat(fast.readForUpdate(get).result().isEmpty()).isTrue();
    CheckAndMutate ifAbsent =
        CheckAndMutate.newBuilder(bytes(LEADER))
            .ifNotExists(FAMILY, COLUMN)
            .build(new Put(bytes(LEADER)).addColumn(FAMILY, bytes("other"), bytes("seen")));
    assertThat(fast.checkAndMutate(ifAbsent)).isInstanceOf(FastPathResult.Committed.class);
    fast.increment(new Increment(bytes(LEADER)).addColumn(FAMILY, COLUMN, 5));
    assertThat(Bytes.toLong(fast.get(get).value())).isEqualTo(5);
  }

  @Test
  void plainClientsDoNotSeeWhatHasExpired() throws Exception {
    try (Admin admin = connection.getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(rows.table()))
              .setValue(
                  TableSettings.PLAIN_CLIENTS_KEY, TableSettings.PlainClients.FAST_PATH.name())
              .build());
    }
    try (Table plain = connection.getTable(rows.table())) {
      await()
          .atMost(PATIENCE)
          .ignoreExceptions()
          .untilAsserted(
              () -> plain.put(new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, bytes("plain"))));
      Get get = new Get(bytes(LEADER));
      assertThat(plain.get(get).value()).isEqualTo(bytes("plain"));
      awaitExpiry();
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(plain.get(get).isEmpty()).isTrue());
      try (ResultScanner scanner = plain.getScanner(new Scan())) {
        assertThat(scanner.next()).isNull();
      }
    }
  }

  /** Below the safe point, and when all files are read. */
  @Test
  void whatHasExpiredGoesWithTheCompaction() throws Exception {
    rows.write(client, "old");
    rows.write(client, "new");
    awaitExpiry();
    try (Transaction now = client.readOnly()) {
      cluster.advanceSafePoint(now.startTimestamp()).get(20, TimeUnit.SECONDS);
    }
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              cluster.compact(rows.table());
              assertThat(cluster.stored(rows.table()).cells()).isZero();
            });
    rows.write(client, "again");
    assertThat(rows.read(client)).isEqualTo("again again");
  }

  private void awaitExpiry() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              // Both, for the servers' clocks lag behind.
              assertThat(rows.read(client)).isEqualTo(NOTHING + " " + NOTHING);
              assertThat(fastRead(LEADER).isEmpty() && fastRead(FOLLOWER).isEmpty()).isTrue();
            });
  }

  private Result fastRead(String row) throws IOException {
    return client.fastPath().table(rows.table()).get(new Get(bytes(row)));
  }

  private int scan(Transaction tx) throws IOException {
    int found = 0;
    try (Table table = tx.table(rows.table());
        ResultScanner scanner = table.getScanner(new Scan())) {
      for (Result result : scanner) {
        found += result.size();
      }
    }
    return found;
  }
}
