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
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.hbase.CellLifetimes;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExpiryIT {

  /** Long enough for a machine with too much to do to begin a transaction meanwhile. */
  private static final Duration LIFETIME = Duration.ofSeconds(5);

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final byte[] OTHER = bytes("other");
  private static final byte[] MARK = {1};

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

  /** B7: a transaction that reads twice does not see a cell vanish as time passes. */
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
        // No older value becomes visible.
        try (Table table = tx.table(rows.table())) {
          assertThat(table.get(new Get(bytes(LEADER)).readVersions(3)).isEmpty()).isTrue();
        }
      }
    }
  }

  /** Without a setting: any read of such a family has to check for it (ADR 26). */
  @Test
  void theTtlOfASingleCellIsRefusedWhoeverWritesItUnlessItsFamilySaysSo() throws Exception {
    client.admin().enableTable(rows.table(), ConflictLevel.ROW, PlainClients.FAST_PATH);
    Put put = new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, bytes("v")).setTTL(60_000);
    Append append = new Append(bytes(LEADER)).addColumn(FAMILY, COLUMN, bytes("v")).setTTL(60_000);
    FastPathTable fast = client.fastPath().table(rows.table());
    try (Table plain = connection.getTable(rows.table())) {
      List<ThrowingCallable> writes =
          List.of(
              () -> inTransaction(table -> table.put(put)),
              () -> inTransaction(table -> table.append(append)),
              () ->
                  inTransaction(
                      table -> {
                        table.put(put);
                        table.put(new Put(bytes(FOLLOWER)).addColumn(FAMILY, COLUMN, bytes("v")));
                      }),
              () -> fast.put(put),
              () -> fast.append(append),
              () -> plain.put(put),
              () -> plain.put(List.of(put)),
              () -> plain.append(append),
              () -> plain.checkAndMutate(ifAbsent(put)));
      for (ThrowingCallable write : writes) {
        assertThatThrownBy(write).hasStackTraceContaining("lampone.cell-ttl = true");
      }
      assertThatThrownBy(() -> plain.put(new Put(put).setTTL(0)))
          .hasStackTraceContaining("no value can have this TTL");
    }
    assertThat(rows.read(client)).isEqualTo(NOTHING + " " + NOTHING);
  }

  private static CheckAndMutate ifAbsent(Put put) {
    return CheckAndMutate.newBuilder(put.getRow()).ifNotExists(FAMILY, COLUMN).build(put);
  }

  /** Operation on a table. */
  private interface Work {
    void on(Table table) throws IOException;
  }

  private void inTransaction(Work work) throws IOException {
    client.run(
        tx -> {
          work.on(tx.table(rows.table()));
          return null;
        });
  }

  /** Every way to write is one row here, each over a value that does not expire. */
  @Test
  void aCellWithATtlExpiresForWhoeverReadsWhoeverHasWrittenIt() throws Exception {
    client.admin().expireAfter(rows.table(), FAMILY, Duration.ZERO);
    client.admin().letCellsExpire(rows.table(), FAMILY, true);
    client.admin().enableTable(rows.table(), ConflictLevel.ROW, PlainClients.FAST_PATH);
    FastPathTable fast = client.fastPath().table(rows.table());
    try (Table plain = connection.getTable(rows.table())) {
      Map<String, Work> writers = writers(fast, plain);
      for (String row : writers.keySet()) {
        fast.put(
            new Put(bytes(row))
                .addColumn(FAMILY, COLUMN, Bytes.toBytes(41L))
                .addColumn(FAMILY, OTHER, bytes("stays")));
      }
      for (Work writer : writers.values()) {
        writer.on(plain);
      }
      FastPathOperation last = FastPathOperation.of(expiring("c-fast"));
      long version = ((FastPathResult.Committed) fast.apply(last)).version();
      try (Transaction before = client.readOnly()) {
        Map<String, Integer> seen = cells(before.table(rows.table()));
        await()
            .atMost(PATIENCE)
            .untilAsserted(
                () -> {
                  for (String row : writers.keySet()) {
                    Get get = new Get(bytes(row));
                    assertThat(
                            client.<Integer, RuntimeException>run(
                                tx -> tx.table(rows.table()).get(get).size()))
                        .as(row)
                        .isEqualTo(1);
                    assertThat(fast.get(get).size()).as(row).isEqualTo(1);
                    assertThat(plain.get(get).size()).as(row).isEqualTo(1);
                  }
                });
        assertThat(cells(plain))
            .hasSize(writers.size() + 1)
            .containsValue(1)
            .doesNotContainValue(2);
        cluster.compact(rows.table());
        assertThat(cells(before.table(rows.table()))).as("a snapshot is stable").isEqualTo(seen);
      }
      // HBase would drop it, would it count in nanoseconds.
      try (Transaction then = client.asOf(Timestamps.tick(version) + Timestamps.TICK)) {
        assertThat(cells(then.table(rows.table()))).containsEntry("c-fast", 2);
      }
      collectEverything(writers.size() + 1);
    }
  }

  /** Every way to write, by the row that it writes. */
  private Map<String, Work> writers(FastPathTable fast, Table plain) {
    Map<String, Work> writers = new TreeMap<>();
    writers.put("a-one-region", table -> inTransaction(t -> t.put(expiring("a-one-region"))));
    writers.put(
        "b-two-regions",
        table ->
            inTransaction(
                t -> {
                  t.put(expiring("b-two-regions"));
                  t.put(new Put(bytes("z-other")).addColumn(FAMILY, OTHER, bytes("stays")));
                }));
    writers.put("c-fast", table -> fast.put(expiring("c-fast")));
    writers.put(
        "d-fast-increment",
        table ->
            fast.increment(
                new Increment(bytes("d-fast-increment"))
                    .addColumn(FAMILY, COLUMN, 1)
                    .setTTL(LIFETIME.toMillis())));
    writers.put(
        "e-increment",
        table ->
            inTransaction(
                t ->
                    t.increment(
                        new Increment(bytes("e-increment"))
                            .addColumn(FAMILY, COLUMN, 1)
                            .setTTL(LIFETIME.toMillis()))));
    writers.put("n-plain", table -> plain.put(List.of(expiring("n-plain"))));
    writers.put(
        "o-plain-append",
        table ->
            plain.append(
                new Append(bytes("o-plain-append"))
                    .addColumn(FAMILY, COLUMN, bytes("more"))
                    .setTTL(LIFETIME.toMillis())));
    writers.put(
        "p-plain-check",
        table ->
            plain.checkAndMutate(
                CheckAndMutate.newBuilder(bytes("p-plain-check"))
                    .ifEquals(FAMILY, OTHER, bytes("stays"))
                    .build(expiring("p-plain-check"))));
    return writers;
  }

  private static Put expiring(String row) {
    return new Put(bytes(row))
        .addColumn(FAMILY, COLUMN, bytes("expires"))
        .setTTL(LIFETIME.toMillis());
  }

  private static Map<String, Integer> cells(Table table) throws IOException {
    Map<String, Integer> cells = new TreeMap<>();
    try (ResultScanner scanner = table.getScanner(new Scan())) {
      scanner.forEach(row -> cells.put(Bytes.toString(row.getRow()), row.size()));
    }
    return cells;
  }

  /** A frozen cell loses its transaction cell and keeps its TTL. */
  @Test
  void whatIsFrozenKeepsItsTtl() throws Exception {
    client.admin().expireAfter(rows.table(), FAMILY, Duration.ZERO);
    client.admin().letCellsExpire(rows.table(), FAMILY, true);
    long hour = Duration.ofHours(1).toMillis();
    inTransaction(
        table -> {
          for (String row : List.of(LEADER, FOLLOWER)) {
            table.put(new Put(bytes(row)).addColumn(FAMILY, COLUMN, bytes("v")).setTTL(hour));
          }
        });
    collectEverything(2);
    assertThat(cluster.stored(rows.table()).metadataCells()).isZero();
    assertThat(lifetimes(new Scan().setAttribute(TableSettings.INSPECTION_ATTRIBUTE, MARK)))
        .containsExactly(hour, hour);
    assertThat(rows.read(client)).isEqualTo("v v");
  }

  /** Returns the TTL of each cell of the table, as requested by its writer. */
  private List<Long> lifetimes(Scan scan) throws IOException {
    List<Long> lifetimes = new ArrayList<>();
    try (Connection told =
            ConnectionFactory.createConnection(CellLifetimes.showing(cluster.configuration()));
        Table table = told.getTable(rows.table());
        ResultScanner scanner = table.getScanner(scan)) {
      for (Result row : scanner) {
        row.listCells().forEach(cell -> lifetimes.add(CellLifetimes.millis(cell)));
      }
    }
    return lifetimes;
  }

  @Test
  void inATableThatIsPlainAgainATtlCountsAsHBaseCountsIt() throws Exception {
    client.admin().expireAfter(rows.table(), FAMILY, Duration.ZERO);
    client.admin().letCellsExpire(rows.table(), FAMILY, true);
    long hour = Duration.ofHours(1).toMillis();
    inTransaction(
        table -> {
          Put put = new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, bytes("v")).setTTL(hour);
          table.put(put);
          table.put(new Put(bytes(LEADER)).addColumn(FAMILY, OTHER, bytes("stays")));
        });
    FastPathTable fast = client.fastPath().table(rows.table());
    fast.put(new Put(bytes(FOLLOWER)).addColumn(FAMILY, COLUMN, bytes("v")).setTTL(2 * hour));
    fast.put(new Put(bytes(FOLLOWER)).addColumn(FAMILY, OTHER, bytes("v")).setTTL(1));

    client.admin().disableTable(rows.table());

    assertThat(lifetimes(new Scan().readVersions(3))).containsExactly(0L, hour, 2 * hour);
    cluster.compact(rows.table());
    assertThat(lifetimes(new Scan().readVersions(3))).containsExactly(0L, hour, 2 * hour);
    client.admin().enableTable(rows.table(), ConflictLevel.ROW);
    assertThat(rows.read(client)).isEqualTo("v v");
  }

  /** HBase counts the TTL of a value from before the table was transactional, then and later. */
  @Test
  void aPlainValueKeepsItsTtlUnderAnAbortedWrite() throws Exception {
    long hour = Duration.ofHours(1).toMillis();
    client.admin().expireAfter(rows.table(), FAMILY, Duration.ZERO);
    client.admin().disableTable(rows.table());
    try (Table plain = connection.getTable(rows.table())) {
      plain.put(new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, bytes("plain")).setTTL(hour));
    }
    client.admin().enableTable(rows.table(), ConflictLevel.ROW);
    try (Transaction lost = client.begin();
        Table table = lost.table(rows.table())) {
      rows.put(lost, LEADER, "never");
      try (ResultScanner scanner = table.getScanner(new Scan())) {
        scanner.next(); // sends the intent
      }
      client.admin().disableTable(rows.table());
    }
    assertThat(lifetimes(new Scan())).containsExactly(hour);
  }

  @Test
  void aWriterMeetsTheVersionThatHasExpired() throws Exception {
    try (Transaction early = client.begin()) {
      rows.write(client, "first");
      awaitExpiry();
      rows.put(early, LEADER, "second");
      assertThatExceptionOfType(ConflictException.class).isThrownBy(early::commit);
    }
    // And a reader of the value may commit after it has expired: there was no write.
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
    collectEverything(0);
    rows.write(client, "again");
    assertThat(rows.read(client)).isEqualTo("again again");
  }

  private void collectEverything(long left) throws Exception {
    try (Transaction now = client.readOnly()) {
      cluster.advanceSafePoint(now.startTimestamp()).get(60, TimeUnit.SECONDS);
    }
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              cluster.compact(rows.table());
              assertThat(cluster.stored(rows.table()).cells()).isEqualTo(left);
            });
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
