package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.mapreduce.CopyTable;
import org.apache.hadoop.hbase.mapreduce.Export;
import org.apache.hadoop.hbase.mapreduce.Import;
import org.apache.hadoop.hbase.mapreduce.RowCounter;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * C6: HBase's own jobs on transactional tables, as Hadoop runs them, in this process. {@link
 * ToolsIT} tests their requests one by one.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JobsIT {

  private final LamponeClient client;
  private final EmbeddedLampone cluster;
  private final Connection connection;

  @TempDir private Path folder;

  JobsIT(LamponeClient client, EmbeddedLampone cluster) throws IOException {
    this.client = client;
    this.cluster = cluster;
    this.connection = ConnectionFactory.createConnection(cluster.configuration());
  }

  @AfterAll
  void disconnect() throws IOException {
    connection.close();
  }

  @Test
  void copyTableCopiesWhatIsCommittedWhereTheTableAdmitsIt() throws Exception {
    TwoRows source = admitting("jobs_copied");
    source.write(client, "old");
    source.write(client, "new");
    TableName target = plain("jobs_copy");
    try (Transaction undecided = client.begin()) {
      source.putBoth(undecided, "never");
      sendIntents(undecided, source.table());
      assertThat(run(new CopyTable(), "--new.name=" + target, source.table().getNameAsString()))
          .isZero();
    }
    assertThat(texts(target)).containsExactly(LEADER + " new", FOLLOWER + " new");
    assertThat(stored(target))
        .as("Lampone's versions, which are no milliseconds")
        .noneMatch(cell -> Timestamps.isPlain(cell.getTimestamp()));
  }

  @Test
  void copyTableFailsWhereTheTableRefusesPlainClients() throws Exception {
    TwoRows source = TwoRows.create(client, connection, "jobs_refused");
    source.write(client, "v");
    TableName target = plain("jobs_refused_copy");
    assertThat(run(new CopyTable(), "--new.name=" + target, source.table().getNameAsString()))
        .isNotZero();
    assertThat(texts(target)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(PlainClients.class)
  void copyTableWritesNothingIntoATransactionalTable(PlainClients choice) throws Exception {
    TwoRows source = admitting("jobs_from_" + choice);
    source.write(client, "theirs");
    TwoRows target = TwoRows.create(client, connection, "jobs_into_" + choice);
    client.admin().enableTable(target.table(), ConflictLevel.ROW, choice);
    target.write(client, "ours");
    assertThat(
            run(
                new CopyTable(),
                "--new.name=" + target.table().getNameAsString(),
                source.table().getNameAsString()))
        .isNotZero();
    assertThat(target.read(client)).isEqualTo("ours ours");
  }

  @Test
  void whatExportHasWrittenGoesIntoAPlainTableAndIntoNoTransactionalOne() throws Exception {
    TwoRows source = admitting("jobs_exported");
    source.write(client, "exported");
    String exported = folder.resolve("exported").toUri().toString();
    assertThat(run(new Export(), source.table().getNameAsString(), exported)).isZero();
    TableName plain = plain("jobs_imported");
    assertThat(run(new Import(), plain.getNameAsString(), exported)).isZero();
    assertThat(texts(plain)).containsExactly(LEADER + " exported", FOLLOWER + " exported");
    source.write(client, "later");
    assertThat(run(new Import(), source.table().getNameAsString(), exported)).isNotZero();
    assertThat(source.read(client)).isEqualTo("later later");
  }

  @Test
  void exportOfATableThatRefusesPlainClientsFailsAndLeavesNothingThatLooksComplete()
      throws Exception {
    TwoRows source = TwoRows.create(client, connection, "jobs_unexported");
    source.write(client, "v");
    Path exported = folder.resolve("unexported");
    assertThat(run(new Export(), source.table().getNameAsString(), exported.toUri().toString()))
        .isNotZero();
    assertThat(exported.resolve("_SUCCESS")).doesNotExist();
  }

  /** A read-only job sees committed data. */
  @Test
  void rowCounterCountsWhatIsCommitted() throws Exception {
    TwoRows source = admitting("jobs_counted");
    source.write(client, "v");
    try (Transaction undecided = client.begin()) {
      source.put(undecided, "undecided", "never");
      sendIntents(undecided, source.table());
      assertThat(run(new RowCounter(), "--expectedCount=2", source.table().getNameAsString()))
          .isZero();
      assertThat(run(new RowCounter(), "--expectedCount=3", source.table().getNameAsString()))
          .isNotZero();
    }
  }

  private TwoRows admitting(String name) throws IOException {
    TwoRows rows = TwoRows.create(client, connection, name);
    client.admin().enableTable(rows.table(), ConflictLevel.ROW, PlainClients.FAST_PATH);
    return rows;
  }

  private TableName plain(String text) throws IOException {
    TableName name = TableName.valueOf(text);
    connection
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build());
    return name;
  }

  /** The exit code of a job that Hadoop runs in this process. */
  private int run(Tool job, String... arguments) throws Exception {
    return ToolRunner.run(settings(), job, arguments);
  }

  private Configuration settings() throws IOException {
    Configuration settings = new Configuration(cluster.configuration());
    settings.set("mapreduce.framework.name", "local");
    settings.set("hadoop.tmp.dir", Files.createTempDirectory(folder, "hadoop").toString());
    return settings;
  }

  private List<Cell> stored(TableName table) throws IOException {
    List<Cell> cells = new ArrayList<>();
    try (Table plain = connection.getTable(table);
        ResultScanner scanner = plain.getScanner(new Scan().readAllVersions())) {
      for (Result row : scanner) {
        cells.addAll(List.of(row.rawCells()));
      }
    }
    return cells;
  }

  private List<String> texts(TableName table) throws IOException {
    return stored(table).stream()
        .map(
            cell ->
                new String(CellUtil.cloneRow(cell), UTF_8)
                    + " "
                    + new String(CellUtil.cloneValue(cell), UTF_8))
        .toList();
  }

  /** A scan flushes buffered writes. */
  private static void sendIntents(Transaction tx, TableName name) throws IOException {
    try (Table table = tx.table(name);
        ResultScanner scanner = table.getScanner(new Scan().addColumn(FAMILY, COLUMN))) {
      scanner.next();
    }
  }
}
