package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lampone.client.AdoptionReport;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * C6, HBase's own tools on transactional tables, by their requests: CopyTable and Export scan,
 * CopyTable and Import put each cell at the timestamp with which they have read it, and so does the
 * receiving end of replication. {@link JobsIT} runs the jobs; peers of replication are not started.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ToolsIT {

  private final LamponeClient client;
  private final Connection connection;

  ToolsIT(LamponeClient client, EmbeddedLampone cluster) throws IOException {
    this.client = client;
    this.connection = ConnectionFactory.createConnection(cluster.configuration());
  }

  @AfterAll
  void disconnect() throws IOException {
    connection.close();
  }

  @Test
  void aTableThatRefusesPlainClientsCannotBeCopied() throws Exception {
    TwoRows rows = TwoRows.create(client, connection, "tools_refused");
    rows.write(client, "v");
    assertThatThrownBy(() -> copied(rows.table())).hasStackTraceContaining("PLAIN_CLIENT");
  }

  /** Without undecided data; and rows at different moments. */
  @Test
  void aCopyOfATableThatAdmitsPlainClientsHoldsWhatIsCommitted() throws Exception {
    TwoRows rows = TwoRows.create(client, connection, "tools_copied");
    client.admin().enableTable(rows.table(), ConflictLevel.ROW, PlainClients.FAST_PATH);
    rows.write(client, "old");
    rows.write(client, "new");
    // Plain clients see a follower when it has been healed, after the commit has returned.
    await().atMost(1, TimeUnit.MINUTES).until(() -> isNew(copied(rows.table())));
    try (Transaction undecided = client.begin()) {
      rows.put(undecided, LEADER, "never");
      rows.put(undecided, FOLLOWER, "never");
      sendIntents(undecided, rows.table());
      assertThat(isNew(copied(rows.table()))).isTrue();
    }
  }

  private static boolean isNew(List<Put> copies) {
    return copies.size() == 2
        && copies.stream().allMatch(put -> text(put.get(FAMILY, COLUMN).get(0)).equals("new"));
  }

  @Test
  void whatTheyWriteIntoATransactionalTableIsRefusedAndChangesNothing() throws Exception {
    TwoRows source = TwoRows.create(client, connection, "tools_source");
    client.admin().enableTable(source.table(), ConflictLevel.ROW, PlainClients.FAST_PATH);
    source.write(client, "theirs");
    List<Put> copies = copied(source.table());
    for (PlainClients choice : PlainClients.values()) {
      TwoRows target = TwoRows.create(client, connection, "tools_target_" + choice);
      client.admin().enableTable(target.table(), ConflictLevel.ROW, choice);
      target.write(client, "ours");
      try (Table table = connection.getTable(target.table())) {
        assertThatThrownBy(() -> table.put(copies))
            .hasStackTraceContaining(
                choice == PlainClients.FAST_PATH ? "timestamp" : "PLAIN_CLIENT");
      }
      assertThat(target.read(client)).isEqualTo("ours ours");
    }
  }

  /**
   * The copies have the versions of the transactional table: nanoseconds. In a plain table later
   * writes are hidden below them, and it must not be accepted for enabling.
   */
  @Test
  void aPlainTableThatGotTheCopiesIsNoBackup() throws Exception {
    TwoRows source = TwoRows.create(client, connection, "tools_nanoseconds");
    client.admin().enableTable(source.table(), ConflictLevel.ROW, PlainClients.FAST_PATH);
    source.write(client, "copied");
    TableName name = plain("tools_plain", HConstants.REPLICATION_SCOPE_LOCAL);
    try (Table table = connection.getTable(name)) {
      table.put(copied(source.table()));
      table.put(new Put(bytes(LEADER)).addColumn(FAMILY, COLUMN, bytes("later")));
      assertThat(text(table.get(new Get(bytes(LEADER))).rawCells()[0])).isEqualTo("copied");
    }
    assertThatThrownBy(() -> client.admin().enableTable(name, ConflictLevel.ROW))
        .hasMessageContaining("2^56");
  }

  /** Undecided cells would be sent, too, and cannot be resolved there. */
  @Test
  void aReplicatedTableIsNotEnabledUntilItIsNoLonger() throws Exception {
    TableName name = plain("tools_replicated", HConstants.REPLICATION_SCOPE_GLOBAL);
    AdoptionReport report = client.admin().inspectTable(name);
    assertThat(report.obstacles())
        .anyMatch(
            obstacle ->
                obstacle.contains("the family is replicated")
                    && obstacle.contains("REPLICATION_SCOPE to 0"));
    assertThatThrownBy(() -> client.admin().enableTable(name, ConflictLevel.ROW))
        .isInstanceOf(LamponeException.class)
        .hasMessageContaining("the family is replicated")
        .hasMessageContaining("lampone export");
    TableDescriptor refused = connection.getAdmin().getDescriptor(name);
    assertThat(TableSettings.of(refused)).as("nothing was changed").isEmpty();
    assertThatThrownBy(
            () ->
                client
                    .admin()
                    .createTable(
                        TableDescriptorBuilder.copy(TableName.valueOf("tools_new"), refused),
                        ConflictLevel.ROW))
        .hasMessageContaining("the family is replicated");
    connection
        .getAdmin()
        .modifyColumnFamily(
            name,
            ColumnFamilyDescriptorBuilder.newBuilder(refused.getColumnFamily(FAMILY))
                .setScope(HConstants.REPLICATION_SCOPE_LOCAL)
                .build());
    client.admin().enableTable(name, ConflictLevel.ROW);
    assertThat(TableSettings.of(connection.getAdmin().getDescriptor(name))).isPresent();
  }

  private TableName plain(String text, int replicationScope) throws IOException {
    TableName name = TableName.valueOf(text);
    connection
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                        .setScope(replicationScope)
                        .build())
                .build());
    return name;
  }

  /** As CopyTable's and Export's jobs read, and their mappers and Import's write. */
  private List<Put> copied(TableName name) throws IOException {
    Scan scan = new Scan().setCacheBlocks(false).setCaching(100).readVersions(1);
    scan.setTimeRange(0, Long.MAX_VALUE);
    List<Put> puts = new ArrayList<>();
    try (Table table = connection.getTable(name);
        ResultScanner scanner = table.getScanner(scan)) {
      for (Result row : scanner) {
        Put put = new Put(row.getRow());
        for (Cell cell : row.rawCells()) {
          put.add(cell);
        }
        puts.add(put);
      }
    }
    return puts;
  }

  private static void sendIntents(Transaction tx, TableName name) throws IOException {
    try (Table table = tx.table(name);
        ResultScanner scanner = table.getScanner(new Scan())) {
      scanner.next();
    }
  }

  private static String text(Cell cell) {
    return org.apache.hadoop.hbase.util.Bytes.toString(
        cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
  }
}
