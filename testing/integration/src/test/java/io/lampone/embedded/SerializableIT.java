package io.lampone.embedded;

import static io.lampone.embedded.Layout.FAMILY;
import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.client.AsyncTransaction;
import io.lampone.client.ClientMetrics;
import io.lampone.client.ConflictException;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeClient;
import io.lampone.client.Savepoint;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.embedded.InLayouts.EveryLayout;
import io.lampone.embedded.InLayouts.EveryLayoutButLevelRow;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Anomalies that serializable transactions prevent and snapshot isolation does not, as
 * interleavings (see {@link History}) with the cells in two regions, in one region, and in one row;
 * against regular writers, writes of the fast path, commits in one region, and plain HBase clients.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SerializableIT {

  /** Every commit uses intents and validation. */
  private static final TransactionOptions GENERAL =
      TransactionOptions.DEFAULT.withoutOneRegionCommit().withIsolation(Isolation.SERIALIZABLE);

  private static final TransactionOptions SERIALIZABLE =
      TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE);

  private static final byte[] Q = bytes("q");
  private static final int ROUNDS = 20;

  private final EmbeddedLampone cluster;
  private final LamponeClient client;

  private final String prefix = getClass().getSimpleName(); // others share the cluster

  SerializableIT(EmbeddedLampone cluster, LamponeClient client) {
    this.cluster = cluster;
    this.client = client;
  }

  @BeforeAll
  void createTables() throws IOException {
    for (Layout layout : Layout.values()) {
      layout.createTable(client.admin());
    }
  }

  @EveryLayoutButLevelRow
  void g2ItemWriteSkew(Layout layout) throws IOException {
    String reads = "T1 b; T2 b; T1 r1=10; T1 r2=20; T2 r1=10; T2 r2=20; T1 w1=11; T2 w2=21\n";
    run(layout, "skew", reads + "T1 c; T2 c conflict; end 1=11 2=20");
    // The test of the test.
    History.run(client, layout, prefix + "skew", reads + "T1 c; T2 c; end 1=11 2=21");
  }

  @EveryLayoutButLevelRow
  void g1cCircularInformationFlow(Layout layout) throws IOException {
    run(
        layout,
        "s-g1c",
        """
        T1 b; T2 b
        T1 w1=11; T2 w2=22
        T1 r2=20; T2 r1=10
        T1 c; T2 c conflict
        end 1=11 2=20
        """);
  }

  /** The writer that would make the reader's state impossible does not commit. */
  @EveryLayoutButLevelRow
  void g2TwoEdgesReadOnlyAnomaly(Layout layout) throws IOException {
    run(
        layout,
        "s-two-edges",
        """
        T1 b; T1 r1=10; T1 r2=20
        T2 b; T2 w2=25; T2 c
        T3 b; T3 r1=10; T3 r2=25; T3 c
        T1 w1=0; T1 c conflict
        end 1=10 2=25
        """);
  }

  @EveryLayoutButLevelRow
  void absentCellsAreReadToo(Layout layout) throws IOException {
    run(
        layout,
        "s-absent",
        """
        T1 b; T2 b
        T1 r3=none; T2 r4=none
        T1 w4=44; T2 w3=33
        T1 c; T2 c conflict
        end 1=10 2=20 4=44
        """);
  }

  @EveryLayout
  void aDeleteIsAChange(Layout layout) throws IOException {
    run(layout, "s-delete", "T1 b; T2 b; T1 r1=10; T2 d1; T2 c; T1 w2=21; T1 c conflict; end 2=20");
  }

  @EveryLayout
  void whatChangesBeforeAndAfterwardsIsNotInTheWay(Layout layout) throws IOException {
    run(
        layout,
        "s-order",
        """
        T2 b; T2 w1=11; T2 c
        T1 b; T1 r1=11; T1 w2=21; T1 c
        T3 b; T3 r2=21; T3 w1=12; T3 c
        end 1=12 2=21
        """);
  }

  @EveryLayout
  void whoReadsOnlyNeverFails(Layout layout) throws IOException {
    run(
        layout,
        "s-reader",
        """
        T1 b; T1 r1=10
        T2 b; T2 r1=10; T2 w1=11; T2 w2=21; T2 c
        T1 r2=20; T1 c
        end 1=11 2=21
        """);
  }

  /** The transaction manager has no record of it: the region finds it. */
  @EveryLayout
  void aWriteOfTheFastPathInBetween(Layout layout) throws IOException {
    String skew = "T1 b; T1 r1=10; F w1=11; T1 w2=21;";
    run(layout, "s-fast", skew + "T1 c conflict; end 1=11 2=20");
    run(layout, "s-fast", "T1 b; T1 r1=10; F d1; T1 w2=21; T1 c conflict; end 2=20");
    run(layout, "s-fast3", "T1 b; T1 r3=none; F w3=1; T1 w2=21; T1 c conflict; end 1=10 2=20 3=1");
    run(layout, "s-fast2", "F w1=11; T1 b; T1 r1=11; T1 w2=21; T1 c; end 1=11 2=21");
  }

  @EveryLayoutButLevelRow
  void aWriteOfTheFastPathInBetweenGoesUnseenUnderSnapshotIsolation(Layout layout)
      throws IOException {
    History.run(
        client,
        layout,
        prefix + "snapshot",
        "T1 b; T1 r1=10; F w1=11; T1 w2=21; T1 c; end 1=11 2=21");
  }

  /** T2 writes one cell, so it commits in one region: at birth. */
  @EveryLayoutButLevelRow
  void aCommitInOneRegionInBetween(Layout layout) throws IOException {
    ClientMetrics before = client.metrics();
    History.run(
        client,
        layout,
        prefix + "one-region",
        SERIALIZABLE,
        """
        T1 b; T2 b
        T1 r1=10; T2 r1=10
        T2 w1=11; T1 w2=21
        T2 c; T1 c conflict
        end 1=11 2=20
        """);
    assertThat(client.metrics().oneRegionCommits()).isGreaterThan(before.oneRegionCommits());
  }

  /** One call, at birth: no intents, no validation. */
  @ParameterizedTest
  @EnumSource
  void aRegionCertifiesWhatWasReadThere(ConflictLevel level) throws IOException {
    TableName table = table("s_certified_" + level, level);
    put(table, "a", 1);
    ClientMetrics before = client.metrics();
    try (Transaction tx = client.begin(SERIALIZABLE)) {
      assertThat(value(tx, table, "a")).isEqualTo(1);
      assertThat(value(tx, table, "absent")).isZero();
      tx.table(table).put(put("z", 1));
      tx.commit();
    }
    assertThat(client.metrics().oneRegionCommits()).isEqualTo(before.oneRegionCommits() + 1);
    assertThat(client.metrics().flushRequests()).isEqualTo(before.flushRequests());
    assertThat(read(table, "z")).isEqualTo(1);
  }

  /** The kind states that it was a read; so does a conflict of writes. */
  @Test
  void theConflictSaysWhatItWas() throws IOException {
    TableName table = table("s_kinds", ConflictLevel.ROW);
    put(table, "a", 1);
    try (Transaction tx = client.begin(SERIALIZABLE)) {
      value(tx, table, "a");
      long version = client.fastPath().table(table).put(put("a", 2)).version();
      tx.table(table).put(put("z", 1));
      assertThatExceptionOfType(ConflictException.class)
          .isThrownBy(tx::commit)
          .satisfies(
              conflict -> {
                assertThat(conflict.kind()).isEqualTo(ConflictException.Kind.READ_WRITE);
                assertThat(conflict.table()).isEqualTo(table.getNameAsString());
                assertThat(conflict.row()).isEqualTo(bytes("a"));
                assertThat(conflict.winnerCommitTimestamp()).isEqualTo(version);
              });
    }
    try (Transaction tx = client.begin(SERIALIZABLE)) {
      value(tx, table, "a");
      put(table, "a", 3);
      tx.table(table).put(put("a", 4));
      assertThatExceptionOfType(ConflictException.class)
          .isThrownBy(tx::commit)
          .satisfies(
              conflict ->
                  assertThat(conflict.kind()).isEqualTo(ConflictException.Kind.WRITE_WRITE));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aPlainHBaseClientInBetween(ConflictLevel level) throws IOException {
    TableName table = table("s_plain_" + level, level);
    client.admin().disableTable(table);
    client.admin().enableTable(table, level, PlainClients.FAST_PATH);
    put(table, "a", 1);
    try (Connection hbase = ConnectionFactory.createConnection(cluster.configuration());
        Table plain = hbase.getTable(table)) {
      try (Transaction tx = client.begin(GENERAL)) {
        assertThat(value(tx, table, "a")).isEqualTo(1);
        plain.put(put("a", 2));
        tx.table(table).put(put("z", 1));
        assertThatExceptionOfType(ConflictException.class).isThrownBy(tx::commit);
      }
      try (Transaction tx = client.begin(GENERAL)) {
        assertThat(value(tx, table, "a")).isEqualTo(2);
        plain.delete(new Delete(bytes("a")));
        tx.table(table).put(put("z", 1));
        assertThatExceptionOfType(ConflictException.class).isThrownBy(tx::commit);
      }
      try (Transaction tx = client.begin(GENERAL)) {
        assertThat(value(tx, table, "a")).isZero();
        plain.put(put("b", 2));
        tx.table(table).put(put("z", 1));
        tx.commit();
      }
    }
  }

  /** Also those that return no cells to the application, and those with a false condition. */
  @Test
  void everyReadCounts() throws Exception {
    TableName table = table("s_reads", ConflictLevel.ROW);
    List<Reading> readings =
        List.of(
            (tx, row) -> tx.table(table).get(new Get(row)),
            (tx, row) -> tx.table(table).get(List.of(new Get(row), new Get(bytes("other")))),
            (tx, row) -> tx.table(table).exists(new Get(row)),
            (tx, row) -> tx.table(table).get(new Get(row).setCheckExistenceOnly(true)),
            (tx, row) ->
                tx.table(table)
                    .checkAndMutate(
                        CheckAndMutate.newBuilder(row)
                            .ifEquals(FAMILY, Q, bytes("never"))
                            .build(new Put(row).addColumn(FAMILY, Q, bytes("x")))),
            (tx, row) ->
                tx.table(table)
                    .batch(List.of(new Get(row), new Get(bytes("other"))), new Object[2]));
    for (int i = 0; i < readings.size(); i++) {
      String row = "a" + i;
      try (Transaction tx = client.begin(SERIALIZABLE)) {
        readings.get(i).read(tx, bytes(row));
        client.fastPath().table(table).put(put(row, 2));
        tx.table(table).put(put("z" + i, 1));
        assertThatExceptionOfType(ConflictException.class)
            .as("reading %s", i)
            .isThrownBy(tx::commit);
      }
    }
  }

  private interface Reading {
    void read(Transaction transaction, byte[] row) throws IOException, InterruptedException;
  }

  /** Rows that the transaction has overwritten, and then rolled back, still count as read. */
  @Test
  void savepoints() throws IOException {
    TableName table = table("s_savepoints", ConflictLevel.ROW);
    put(table, "a", 1);
    try (Transaction tx = client.begin(SERIALIZABLE)) {
      Savepoint savepoint = tx.savepoint();
      tx.table(table).put(put("a", 5));
      assertThat(value(tx, table, "a")).isEqualTo(5);
      tx.rollbackTo(savepoint);
      client.fastPath().table(table).put(put("a", 2));
      tx.table(table).put(put("z", 1));
      assertThatExceptionOfType(ConflictException.class).isThrownBy(tx::commit);
    }
    try (Transaction tx = client.begin(SERIALIZABLE)) {
      tx.table(table).put(put("a", 6));
      Savepoint savepoint = tx.savepoint();
      assertThat(value(tx, table, "a")).isEqualTo(6);
      tx.table(table).put(put("b", 6));
      tx.rollbackTo(savepoint);
      tx.table(table).put(put("z", 2));
      tx.commit();
    }
    assertThat(read(table, "a") + read(table, "b") + read(table, "z")).isEqualTo(8);
  }

  /** Nothing is certified, and the commit takes one round trip, as under snapshot isolation. */
  @Test
  void aRowThatIsReadAndWrittenIsNotCertified() throws IOException {
    TableName table = table("s_same", ConflictLevel.ROW);
    put(table, "a", 1);
    ClientMetrics before = client.metrics();
    try (Transaction tx = client.begin(SERIALIZABLE)) {
      tx.table(table).put(put("a", value(tx, table, "a") + 1));
      tx.table(table).incrementColumnValue(bytes("b"), FAMILY, Q, 1);
      tx.commit();
    }
    ClientMetrics after = client.metrics();
    assertThat(after.oneRegionCommits()).isEqualTo(before.oneRegionCommits() + 1);
    assertThat(after.gets() + after.multiGets())
        .as("the two that were read")
        .isEqualTo(before.gets() + before.multiGets() + 2);
    assertThat(read(table, "a")).isEqualTo(2);
  }

  /** Only the regions of rows that a transaction reads receive requests about them. */
  @Test
  void theRegionMayMoveInBetween() throws IOException {
    TableName table = table("s_moves", ConflictLevel.ROW);
    put(table, "a", 1);
    try (Transaction tx = client.begin(GENERAL)) {
      assertThat(value(tx, table, "a")).isEqualTo(1);
      move(table);
      tx.table(table).put(put("z", 1));
      tx.commit();
    }
    try (Transaction tx = client.begin(GENERAL)) {
      assertThat(value(tx, table, "a")).isEqualTo(1);
      client.fastPath().table(table).put(put("a", 2));
      move(table);
      tx.table(table).put(put("z", 2));
      assertThatExceptionOfType(ConflictException.class).isThrownBy(tx::commit);
    }
    assertThat(read(table, "z")).isEqualTo(1);
  }

  private void move(TableName table) throws IOException {
    try (Connection hbase = ConnectionFactory.createConnection(cluster.configuration())) {
      RegionInfo region = hbase.getAdmin().getRegions(table).get(0);
      cluster.hbase().moveRegion(region, 1 - cluster.hbase().regionServerOf(region));
    }
  }

  /** Two doctors are on call, one has to stay, and each leaves if the other one is there. */
  @EveryLayoutButLevelRow
  void onCallDoctors(Layout layout) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      assertThat(stayingAfter(layout, prefix + round, SERIALIZABLE))
          .as("round %s", round)
          .isEqualTo(1);
    }
  }

  private int stayingAfter(Layout layout, String name, TransactionOptions options)
      throws Exception {
    client.run(
        tx -> {
          for (int doctor = 1; doctor <= 2; doctor++) {
            tx.table(layout.table()).put(on(layout, name, doctor, "on"));
          }
          return null;
        });
    List<CompletableFuture<Void>> leaving =
        List.of(leave(layout, name, 1, 2, options), leave(layout, name, 2, 1, options));
    for (CompletableFuture<Void> one : leaving) {
      one.get(1, TimeUnit.MINUTES);
    }
    return client.run(
        TransactionOptions.DEFAULT.asReadOnly(),
        tx -> {
          int staying = 0;
          for (int doctor = 1; doctor <= 2; doctor++) {
            byte[] state = tx.table(layout.table()).get(layout.get(name, doctor)).value();
            staying += Bytes.toString(state).equals("on") ? 1 : 0;
          }
          return staying;
        });
  }

  private CompletableFuture<Void> leave(
      Layout layout, String name, int leaver, int other, TransactionOptions options)
      throws IOException {
    Get isThere = layout.get(name, other);
    return client.runAsync(
        options,
        tx ->
            tx.table(layout.table())
                .get(isThere)
                .thenCompose(
                    found ->
                        Bytes.toString(found.value()).equals("on")
                            ? tx.table(layout.table()).put(on(layout, name, leaver, "off"))
                            : CompletableFuture.completedFuture(null)));
  }

  private static Put on(Layout layout, String name, int doctor, String state) {
    return new Put(layout.row(name, doctor))
        .addColumn(FAMILY, layout.qualifier(name, doctor), bytes(state));
  }

  @Test
  void theAsynchronousFormIsCertifiedToo() throws Exception {
    TableName table = table("s_async", ConflictLevel.ROW);
    put(table, "a", 1);
    AsyncTransaction tx = client.beginAsync(SERIALIZABLE).get(1, TimeUnit.MINUTES);
    tx.table(table).get(new Get(bytes("a"))).get(1, TimeUnit.MINUTES);
    client.fastPath().table(table).put(put("a", 2));
    tx.table(table).put(put("z", 1)).get(1, TimeUnit.MINUTES);
    assertThat(tx.commit())
        .failsWithin(Duration.ofMinutes(1))
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(ConflictException.class);
  }

  private void run(Layout layout, String caseName, String steps) throws IOException {
    History.run(client, layout, prefix + caseName + "-general", GENERAL, steps);
    History.run(client, layout, prefix + caseName, SERIALIZABLE, steps);
  }

  private TableName table(String name, ConflictLevel level) throws IOException {
    TableName table = TableName.valueOf(prefix + name);
    ColumnFamilyDescriptor family = ColumnFamilyDescriptorBuilder.of(FAMILY);
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table).setColumnFamily(family).build(), level);
    return table;
  }

  private static Put put(String row, long value) {
    return new Put(bytes(row)).addColumn(FAMILY, Q, Bytes.toBytes(value));
  }

  private void put(TableName table, String row, long value) throws IOException {
    client.run(
        TransactionOptions.DEFAULT.withoutOneRegionCommit(),
        tx -> {
          tx.table(table).put(put(row, value));
          return null;
        });
  }

  private long read(TableName table, String row) throws IOException {
    return client.run(tx -> value(tx, table, row));
  }

  private static long value(Transaction tx, TableName table, String row) throws IOException {
    byte[] value = tx.table(table).get(new Get(bytes(row))).getValue(FAMILY, Q);
    return value == null ? 0 : Bytes.toLong(value);
  }
}
