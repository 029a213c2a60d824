package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.bytes;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.StripeStoreEngine;
import org.apache.hadoop.hbase.regionserver.compactions.FIFOCompactionPolicy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * C3: whatever the schema sets in HBase for versions, age, memory and files, a snapshot sees the
 * right state; or the table is refused. Each setting has a family of one table, so that all of them
 * have the same history.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SchemaTrapsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final byte[] COLUMN = bytes("q");

  /** In milliseconds since 1970: older than any TTL. */
  private static final long LONG_AGO = 5;

  private static final int SECOND = 1;
  private static final int SMALLEST_BLOCK = 1024;

  /** Settings of a family. */
  enum Setting {
    NONE(family -> {}),
    ONE_VERSION(family -> family.setMaxVersions(1)),
    FIVE_VERSIONS(family -> family.setMaxVersions(5)),
    TTL(family -> family.setTimeToLive(SECOND)),
    TTL_AND_MIN_VERSIONS(
        family -> family.setTimeToLive(SECOND).setMaxVersions(1).setMinVersions(1)),
    KEEP_DELETED(family -> family.setKeepDeletedCells(KeepDeletedCells.TRUE)),
    KEEP_DELETED_FOR_TTL(
        family -> family.setKeepDeletedCells(KeepDeletedCells.TTL).setTimeToLive(SECOND)),
    NEW_VERSION_BEHAVIOR(family -> family.setNewVersionBehavior(true)),
    MEMORY_BASIC(
        family ->
            family
                .setInMemoryCompaction(MemoryCompactionPolicy.BASIC)
                .setDataBlockEncoding(DataBlockEncoding.PREFIX)),
    MEMORY_EAGER(
        family ->
            family
                .setInMemoryCompaction(MemoryCompactionPolicy.EAGER)
                .setDataBlockEncoding(DataBlockEncoding.DIFF)
                .setMaxVersions(1)),
    MEMORY_ADAPTIVE(
        family ->
            family
                .setInMemoryCompaction(MemoryCompactionPolicy.ADAPTIVE)
                .setDataBlockEncoding(DataBlockEncoding.FAST_DIFF)
                .setMaxVersions(1)),
    ROW_INDEX_AND_BLOOM_BY_COLUMN(
        family ->
            family
                .setDataBlockEncoding(DataBlockEncoding.ROW_INDEX_V1)
                .setBloomFilterType(BloomType.ROWCOL)),
    SMALL_BLOCKS_WITHOUT_BLOOM(
        family ->
            family
                .setCompressionType(Compression.Algorithm.GZ)
                .setCompressTags(true)
                .setBlocksize(SMALLEST_BLOCK)
                .setBloomFilterType(BloomType.NONE)),
    FIRST_IN_FIRST_OUT(
        family ->
            family
                .setTimeToLive(SECOND)
                .setConfiguration(
                    "hbase.hstore.defaultengine.compactionpolicy.class",
                    FIFOCompactionPolicy.class.getName())
                .setConfiguration("hbase.hstore.blockingStoreFiles", "1000")),
    STRIPES(
        family ->
            family.setConfiguration(
                StoreEngine.STORE_ENGINE_CLASS_KEY, StripeStoreEngine.class.getName())),
    DATE_TIERS(
        family ->
            family.setConfiguration(
                StoreEngine.STORE_ENGINE_CLASS_KEY, DateTieredStoreEngine.class.getName()));

    private final Consumer<ColumnFamilyDescriptorBuilder> said;

    Setting(Consumer<ColumnFamilyDescriptorBuilder> said) {
      this.said = said;
    }

    byte[] family() {
      return bytes(name());
    }

    ColumnFamilyDescriptor says(ColumnFamilyDescriptor before) {
      ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(before);
      said.accept(family);
      return family.build();
    }
  }

  /** Settings that cannot be corrected. */
  enum Refusal {
    REPLICATED(family -> family.setScope(HConstants.REPLICATION_SCOPE_GLOBAL), "replicated"),
    MOB(family -> family.setMobEnabled(true).setMobThreshold(10), "MOB");

    private final Consumer<ColumnFamilyDescriptorBuilder> said;
    private final String why;

    Refusal(Consumer<ColumnFamilyDescriptorBuilder> said, String why) {
      this.said = said;
      this.why = why;
    }
  }

  private final LamponeClient client;
  private final EmbeddedLampone cluster;
  private final Connection connection;

  SchemaTrapsIT(LamponeClient client, EmbeddedLampone cluster) throws IOException {
    this.client = client;
    this.cluster = cluster;
    this.connection = ConnectionFactory.createConnection(cluster.configuration());
  }

  @AfterAll
  void disconnect() throws IOException {
    connection.close();
  }

  @ParameterizedTest
  @EnumSource
  void whatCannotBeCorrectedIsRefused(Refusal refusal) {
    ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(bytes("f"));
    refusal.said.accept(family);
    TableDescriptor table =
        TableDescriptorBuilder.newBuilder(TableName.valueOf("refused"))
            .setColumnFamily(family.build())
            .build();
    assertThatThrownBy(() -> client.admin().createTable(table, ConflictLevel.ROW))
        .isInstanceOf(LamponeException.class)
        .hasMessageContaining(refusal.why)
        .hasMessageContaining("table=refused");
  }

  /**
   * The cell stored there is no value: an append would extend it, and comparisons would read it. A
   * transaction cell that an abort leaves there is unreadable.
   */
  @Test
  void aFamilyThatIsMadeOneOfLargeValuesLaterTakesNoWrites() throws Exception {
    TableName name = TableName.valueOf("large_values_later");
    byte[] family = bytes("f");
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(family))
                .build(),
            ConflictLevel.ROW);
    Put put = new Put(bytes("row")).addColumn(family, COLUMN, bytes("value"));
    client.fastPath().table(name).put(put);
    makeMob(name, family, true);
    assertThatThrownBy(
            () ->
                client
                    .fastPath()
                    .table(name)
                    .append(new Append(bytes("row")).addColumn(family, COLUMN, bytes("+"))))
        .isInstanceOf(LamponeException.class)
        .hasMessageContaining("MOB family");
    assertThatThrownBy(() -> client.fastPath().table(name).put(put))
        .hasMessageContaining("MOB family");
    try (Transaction tx = client.begin()) {
      tx.table(name).put(put);
      assertThatThrownBy(() -> sendIntents(tx, name)).hasMessageContaining("MOB family");
    }
    makeMob(name, family, false);
    client.fastPath().table(name).put(put);
  }

  private void makeMob(TableName name, byte[] family, boolean mob) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      TableDescriptor present = admin.getDescriptor(name);
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(present)
              .modifyColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(present.getColumnFamily(family))
                      .setMobEnabled(mob)
                      .setMobThreshold(1)
                      .build())
              .build());
    }
  }

  /** The setting is made in HBase after the table has become transactional. */
  @Test
  void whateverIsSaidBehindOurBackEverySnapshotSeesWhatItIsToSee() throws Exception {
    TableName name = TableName.valueOf("said_behind_our_back");
    try (Admin admin = connection.getAdmin();
        Table plain = connection.getTable(name)) {
      TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
      for (Setting setting : Setting.values()) {
        table.setColumnFamily(ColumnFamilyDescriptorBuilder.of(setting.family()));
      }
      admin.createTable(table.build());
      plain.put(put("plain", "plain", LONG_AGO));
      flush(name);
      client.admin().enableTable(name, ConflictLevel.ROW);
      TableDescriptorBuilder changed = TableDescriptorBuilder.newBuilder(admin.getDescriptor(name));
      for (ColumnFamilyDescriptor family : changed.build().getColumnFamilies()) {
        changed.modifyColumnFamily(Setting.valueOf(family.getNameAsString()).says(family));
      }
      admin.modifyTable(changed.build());
    }
    live(name);
  }

  private void live(TableName name) throws Exception {
    write(name, "kept", "old");
    write(name, "gone", "old");
    flush(name);
    try (Transaction late = client.begin();
        Transaction old = client.readOnly()) {
      late.table(name).put(put("late", "late", HConstants.LATEST_TIMESTAMP));
      sendIntents(late, name);
      write(name, "kept", "new");
      client.run(
          tx -> {
            tx.table(name).delete(new Delete(bytes("gone")));
            return null;
          });
      settle(name, late.startTimestamp());
      advance(Math.min(late.startTimestamp(), old.startTimestamp()));
      for (int i = 0; i < 2; i++) {
        // More files than one, in which HBase would count.
        write(name, "churn", "churn" + i);
        flush(name);
        compact(name);
      }
      assertThat(rows(old, name)).isEqualTo(everywhere("gone=old kept=old plain=plain"));
      try (Transaction now = client.readOnly()) {
        assertThat(rows(now, name)).isEqualTo(everywhere("kept=new plain=plain"));
      }
      late.commit();
    }
    settle(name, 0);
    try (Transaction now = client.readOnly()) {
      advance(now.startTimestamp());
      compact(name);
      compact(name);
      assertThat(rows(now, name)).isEqualTo(everywhere("kept=new late=late plain=plain"));
    }
  }

  private static Map<String, String> everywhere(String rows) {
    Map<String, String> all = new TreeMap<>();
    for (Setting setting : Setting.values()) {
      all.put(setting.name(), rows);
    }
    return all;
  }

  /** Returns the view of a snapshot in each family, without the row of the churn. */
  private static Map<String, String> rows(Transaction tx, TableName name) throws IOException {
    Map<String, List<String>> seen = new TreeMap<>();
    for (Setting setting : Setting.values()) {
      seen.put(setting.name(), new ArrayList<>());
    }
    try (Table table = tx.table(name);
        ResultScanner scanner = table.getScanner(new Scan())) {
      for (Result row : scanner) {
        String key = new String(row.getRow(), UTF_8);
        if (!key.equals("churn")) {
          row.getNoVersionMap()
              .forEach(
                  (family, columns) ->
                      seen.get(new String(family, UTF_8))
                          .add(key + "=" + new String(columns.get(COLUMN), UTF_8)));
        }
      }
    }
    Map<String, String> texts = new TreeMap<>();
    seen.forEach((family, values) -> texts.put(family, String.join(" ", values)));
    return texts;
  }

  private void write(TableName name, String row, String value) throws IOException {
    client.run(
        tx -> {
          tx.table(name).put(put(row, value, HConstants.LATEST_TIMESTAMP));
          return null;
        });
  }

  private static Put put(String row, String value, long timestamp) {
    Put put = new Put(bytes(row));
    for (Setting setting : Setting.values()) {
      put.addColumn(setting.family(), COLUMN, timestamp, bytes(value));
    }
    return put;
  }

  /** A scan flushes buffered writes. */
  private static void sendIntents(Transaction tx, TableName name) throws IOException {
    try (Table table = tx.table(name);
        ResultScanner scanner = table.getScanner(new Scan())) {
      scanner.next();
    }
  }

  /** Waits until the work after the commits is done, but for a transaction that is open. */
  private void settle(TableName name, long open) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(cluster.pendingIntents(name))
                    .allMatch(intent -> intent.startTimestamp() == open));
  }

  private void advance(long timestamp) throws Exception {
    cluster.advanceSafePoint(timestamp).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private void flush(TableName name) throws IOException {
    for (HRegion region : new StoredCells(cluster.hbase(), name).regions()) {
      region.flush(true);
    }
  }

  private void compact(TableName name) throws IOException {
    new StoredCells(cluster.hbase(), name).compact();
  }
}
