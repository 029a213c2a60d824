package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.COLUMN;
import static io.lampone.embedded.RunningCluster.FAMILY;
import static io.lampone.embedded.RunningCluster.bytes;
import static io.lampone.embedded.RunningCluster.get;
import static io.lampone.embedded.RunningCluster.put;
import static io.lampone.embedded.RunningCluster.putOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeAdmin.TransactionalTable;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AdministrationIT {

  @TempDir private static Path directory;

  private static RunningCluster cluster;
  private static LamponeClient client;
  private static LamponeAdmin admin;
  private static Connection plain;

  @BeforeAll
  static void start() throws IOException {
    cluster = RunningCluster.start(directory);
    client = cluster.client();
    admin = client.admin();
    plain = ConnectionFactory.createConnection(cluster.hbase().configuration());
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      plain.close();
      cluster.close();
    }
  }

  @Test
  void anExistingTableBecomesTransactionalAndPlainAgain() throws IOException {
    TableName name = TableName.valueOf("adopted");
    createPlain(name);
    try (Table table = plain.getTable(name)) {
      table.put(putOf("kept", "old"));
      table.put(putOf("changed", "old"));
      table.put(putOf("deleted", "old"));
      assertThatThrownBy(() -> client.run(tx -> get(tx, name, "kept")))
          .hasMessageStartingWith("LP-402");

      admin.enableTable(name, ConflictLevel.ROW);
      admin.enableTable(name, ConflictLevel.ROW);

      assertThat(admin.listTables())
          .contains(new TransactionalTable(name, ConflictLevel.ROW, false, false));
      assertThatThrownBy(() -> admin.enableTable(name, ConflictLevel.CELL))
          .hasMessageContaining("disable it first");
      assertThatThrownBy(() -> table.get(new Get(bytes("kept"))))
          .hasMessageContaining("PLAIN_CLIENT");
      client.run(
          tx -> {
            assertThat(get(tx, name, "kept")).isEqualTo("old");
            put(tx, name, "changed", "new");
            put(tx, name, "added", "new");
            tx.table(name).delete(new Delete(bytes("deleted")));
            return null;
          });
      Transaction abandoned = client.begin();
      put(abandoned, name, "kept", "never");
      try (ResultScanner scanner = abandoned.table(name).getScanner(new Scan())) {
        scanner.next(); // sends the intent
      }

      admin.disableTable(name);
      admin.disableTable(name);

      assertThatThrownBy(abandoned::commit).isInstanceOf(LamponeException.class);
      assertThat(value(table, "kept")).isEqualTo("old");
      assertThat(value(table, "changed")).isEqualTo("new");
      assertThat(value(table, "added")).isEqualTo("new");
      assertThat(value(table, "deleted")).isEqualTo("-");
      table.put(putOf("changed", "plain"));
      table.put(putOf("deleted", "plain"));
      assertThat(value(table, "changed")).isEqualTo("plain");
      assertThat(value(table, "deleted")).isEqualTo("plain");
      assertThat(table.get(new Get(bytes("changed")).readAllVersions()).rawCells())
          .allMatch(cell -> cell.getTimestamp() < 1L << 56)
          .allMatch(cell -> cell.getQualifierLength() == 1);
    }

    admin.enableTable(name, ConflictLevel.CELL);

    client.run(
        tx -> {
          assertThat(get(tx, name, "changed")).isEqualTo("plain");
          put(tx, name, "changed", "again");
          return null;
        });
    assertThat(client.<String, RuntimeException>run(tx -> get(tx, name, "changed")))
        .isEqualTo("again");
  }

  @Test
  void aTableWithVersionsLikeOursIsRefused() throws IOException {
    TableName name = TableName.valueOf("future");
    createPlain(name);
    try (Table table = plain.getTable(name)) {
      table.put(new Put(bytes("r")).addColumn(FAMILY, COLUMN, 1L << 56, bytes("v")));
    }

    assertThatThrownBy(() -> admin.enableTable(name, ConflictLevel.ROW))
        .hasMessageStartingWith("LP-401")
        .hasMessageContaining("2^56");
  }

  /** Without it a delete also hides values written after it at an older version. */
  @Test
  void aTableThatShowsByTheOrderOfWritesIsRefused() throws IOException {
    TableName name = TableName.valueOf("order_of_writes");
    plain
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                        .setNewVersionBehavior(true)
                        .build())
                .build());
    try (Table table = plain.getTable(name)) {
      table.delete(new Delete(bytes("r")).addColumns(FAMILY, COLUMN, 10));
      table.put(new Put(bytes("r")).addColumn(FAMILY, COLUMN, 5, bytes("shown")));
      assertThat(value(table, "r")).isEqualTo("shown");

      assertThatThrownBy(() -> admin.enableTable(name, ConflictLevel.ROW))
          .hasMessageStartingWith("LP-401")
          .hasMessageContaining("NEW_VERSION_BEHAVIOR");

      assertThat(admin.inspectTable(name).obstacles())
          .hasSize(1)
          .allMatch(obstacle -> obstacle.contains("NEW_VERSION_BEHAVIOR"));
      assertThat(value(table, "r")).isEqualTo("shown");
    }
  }

  @Test
  void aRegionWithoutTheObserverIsNotBelieved() throws IOException {
    TableName name = TableName.valueOf("unguarded");
    long floor = client.begin().startTimestamp();
    plain
        .getAdmin()
        .createTable(
            new TableSettings(TableSettings.Phase.ENABLED, ConflictLevel.ROW, floor)
                .applyTo(
                    TableDescriptorBuilder.newBuilder(name)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)))
                .build());
    try (Table table = plain.getTable(name)) {
      table.put(putOf("r", "raw"));
    }
    try (Transaction tx = client.begin()) {
      assertThatThrownBy(() -> get(tx, name, "r"))
          .hasMessageStartingWith("LP-303")
          .hasMessageContaining("coprocessor");
      assertThatThrownBy(
              () -> {
                try (ResultScanner scanner = tx.table(name).getScanner(new Scan())) {
                  scanner.next();
                }
              })
          .hasMessageStartingWith("LP-303");
      put(tx, name, "r", "v");
      assertThatThrownBy(tx::commit)
          .hasMessageStartingWith("LP-303")
          .hasMessageContaining("unguarded");
    }
    plain.getAdmin().disableTable(name);
    plain.getAdmin().deleteTable(name);
  }

  @Test
  void whatHBaseWouldDropByAgeOrNumberIsDroppedByOurRulesOnly() throws Exception {
    TableName name = TableName.valueOf("ttl");
    admin.createTable(
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                    .setTimeToLive(60)
                    .setMaxVersions(3)
                    .build())
            .build(),
        ConflictLevel.ROW);
    assertThat(family(name).getTimeToLive()).isEqualTo(HConstants.FOREVER);
    assertThat(family(name).getMaxVersions()).isEqualTo(HConstants.ALL_VERSIONS);
    assertThat(retention(name)).isEqualTo(new FamilyRetention(3, 0, 60_000));
    admin.expireAfter(name, FAMILY, Duration.ofMillis(5));
    assertThat(retention(name)).isEqualTo(new FamilyRetention(3, 0, 5));
    admin.expireAfter(name, FAMILY, Duration.ZERO);
    assertThat(retention(name)).isEqualTo(new FamilyRetention(3, 0, FamilyRetention.FOREVER));
    assertThatThrownBy(() -> admin.expireAfter(name, bytes("none"), Duration.ZERO))
        .hasMessageContaining("no such family");
  }

  @Test
  void aTableThatBecomesPlainAgainSaysToHBaseWhatItSaidBefore() throws Exception {
    TableName name = TableName.valueOf("said_before");
    byte[] changed = bytes("c");
    ColumnFamilyDescriptorBuilder said =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setMaxVersions(3)
            .setMinVersions(2)
            .setTimeToLive(86_400)
            .setNewVersionBehavior(false)
            .setInMemoryCompaction(MemoryCompactionPolicy.BASIC)
            .setConfiguration("hbase.hstore.blockingStoreFiles", "30");
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(said.build())
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(changed).setTimeToLive(60).build());
    plain.getAdmin().createTable(table.build());
    final TableDescriptor before = plain.getAdmin().getDescriptor(name);

    admin.enableTable(name, ConflictLevel.ROW);
    assertThat(family(name).getMaxVersions()).isEqualTo(HConstants.ALL_VERSIONS);
    admin.expireAfter(name, changed, Duration.ofMillis(5_500));
    admin.disableTable(name);

    TableDescriptor after = plain.getAdmin().getDescriptor(name);
    assertThat(after.getColumnFamily(FAMILY)).isEqualTo(before.getColumnFamily(FAMILY));
    assertThat(after.getColumnFamily(changed).getTimeToLive()).isEqualTo(6);
    assertThat(after.getColumnFamily(changed).getMaxVersions()).isEqualTo(1);

    admin.enableTable(name, ConflictLevel.ROW);
    assertThat(retention(name)).isEqualTo(new FamilyRetention(3, 2, 86_400_000));
  }

  /**
   * ADR 33: HBase counts versions again, and may count a Lampone version before the delete that
   * removes it, which lies in another file.
   */
  @Test
  void aPlainVersionUnderSomethingOfOursOutlivesACompactionOfTheFilesWithoutTheDelete()
      throws Exception {
    TableName name = TableName.valueOf("said_once_more");
    plain
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                        .setMaxVersions(1)
                        // The two that are smallest together: the oldest.
                        .setConfiguration("hbase.hstore.compaction.min", "2")
                        .setConfiguration("hbase.hstore.compaction.max", "2")
                        .build())
                .build());
    plain.getAdmin().compactionSwitch(false, List.of());
    try (Table table = plain.getTable(name)) {
      table.put(new Put(bytes("seen")).addColumn(FAMILY, COLUMN, 5, bytes("plain")));
      region(name).flush(true);
      admin.enableTable(name, ConflictLevel.ROW);
      Transaction undecided = client.begin();
      put(undecided, name, "seen", "never");
      // A scan flushes buffered writes.
      try (ResultScanner scanner = undecided.table(name).getScanner(new Scan())) {
        assertThat(scanner.next()).isNotNull();
      }
      region(name).flush(true);
      client.run(
          tx -> {
            tx.table(name)
                .put(new Put(bytes("large")).addColumn(FAMILY, COLUMN, new byte[100_000]));
            return null;
          });

      admin.disableTable(name);

      assertThat(value(table, "seen")).isEqualTo("plain");
      HRegion region = region(name);
      int before = region.getStore(FAMILY).getStorefilesCount();
      assertThat(before).as("what was, what is undecided, what was rewritten").isGreaterThan(2);
      region.compact(false);
      assertThat(region.getStore(FAMILY).getStorefilesCount()).isEqualTo(before - 1);
      assertThat(value(table, "seen")).isEqualTo("plain");
      region.compact(true);
      assertThat(value(table, "seen")).isEqualTo("plain");
    } finally {
      plain.getAdmin().compactionSwitch(true, List.of());
    }
  }

  private static HRegion region(TableName table) {
    for (int i = 0; i < cluster.hbase().regionServerCount(); i++) {
      List<HRegion> regions = cluster.hbase().regionServer(i).getRegions(table);
      if (!regions.isEmpty()) {
        return regions.get(0);
      }
    }
    throw new AssertionError("no region of " + table);
  }

  private static ColumnFamilyDescriptor family(TableName table) throws IOException {
    return plain.getAdmin().getDescriptor(table).getColumnFamily(FAMILY);
  }

  private static FamilyRetention retention(TableName table) throws IOException {
    return TableRetention.of(plain.getAdmin().getDescriptor(table)).of(Bytes.of(FAMILY));
  }

  private static void createPlain(TableName name) throws IOException {
    plain
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build());
  }

  private static String value(Table table, String row) throws IOException {
    byte[] value = table.get(new Get(bytes(row))).getValue(FAMILY, COLUMN);
    return value == null ? "-" : new String(value, StandardCharsets.UTF_8);
  }
}
