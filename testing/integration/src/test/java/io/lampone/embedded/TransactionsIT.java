package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.COLUMN;
import static io.lampone.embedded.RunningCluster.FAMILY;
import static io.lampone.embedded.RunningCluster.OTHER_FAMILY;
import static io.lampone.embedded.RunningCluster.bytes;
import static io.lampone.embedded.RunningCluster.get;
import static io.lampone.embedded.RunningCluster.put;
import static io.lampone.embedded.RunningCluster.putOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.ConflictException;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Savepoint;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.TransactionOutcome;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransactionsIT {

  /** Longest wait on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private static Path directory;

  private static RunningCluster cluster;
  private static LamponeClient client;

  @BeforeAll
  static void start() throws IOException {
    cluster = RunningCluster.start(directory);
    client = cluster.client();
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void whatIsCommittedIsSeenByLaterSnapshotsAndNotByEarlierOnes() throws IOException {
    TableName table = cluster.createTable("commits", ConflictLevel.ROW, "m");
    try (Transaction before = client.begin();
        Transaction writer = client.begin()) {
      put(writer, table, "apple", "1");
      put(writer, table, "peach", "2");
      assertThat(get(writer, table, "apple")).isEqualTo("1");
      assertThat(get(before, table, "apple")).isEqualTo("-");
      writer.commit();
      assertThat(writer.commitTimestamp())
          .hasValueSatisfying(commit -> assertThat(commit).isGreaterThan(writer.startTimestamp()));
      assertThat(get(before, table, "apple")).isEqualTo("-");
      try (Transaction after = client.readOnly()) {
        assertThat(get(after, table, "apple")).isEqualTo("1");
        assertThat(get(after, table, "peach")).isEqualTo("2");
      }
    }
  }

  @Test
  void ofTwoThatWriteTheSameRowTheSecondToCommitFails() throws IOException {
    TableName table = cluster.createTable("conflicts", ConflictLevel.ROW, "m");
    try (Transaction first = client.begin();
        Transaction second = client.begin()) {
      put(first, table, "zebra", "first");
      put(second, table, "zebra", "second");
      put(second, table, "ant", "second");
      first.commit();
      assertThatThrownBy(second::commit)
          .isInstanceOfSatisfying(
              ConflictException.class,
              e -> {
                assertThat(e.row()).isEqualTo(bytes("zebra"));
                assertThat(e.table()).isEqualTo("conflicts");
              });
    }
    try (Transaction after = client.begin()) {
      assertThat(get(after, table, "zebra")).isEqualTo("first");
      assertThat(get(after, table, "ant")).isEqualTo("-");
    }
  }

  @Test
  void atLevelCellTwoColumnsOfOneRowDoNotConflict() throws IOException {
    TableName table = cluster.createTable("cells", ConflictLevel.CELL);
    try (Transaction first = client.begin();
        Transaction second = client.begin()) {
      first.table(table).put(new Put(bytes("r")).addColumn(FAMILY, bytes("a"), bytes("1")));
      second.table(table).put(new Put(bytes("r")).addColumn(FAMILY, bytes("b"), bytes("2")));
      first.commit();
      second.commit();
    }
    try (Transaction after = client.begin()) {
      Result row = after.table(table).get(new Get(bytes("r")));
      assertThat(row.getValue(FAMILY, bytes("a"))).isEqualTo(bytes("1"));
      assertThat(row.getValue(FAMILY, bytes("b"))).isEqualTo(bytes("2"));
      assertThat(row.size()).isEqualTo(2);
    }
  }

  @Test
  void aTransactionReadsItsOwnWritesAndDeletes() throws IOException {
    TableName table = cluster.createTable("own", ConflictLevel.ROW, "m");
    client.run(
        tx -> {
          put(tx, table, "a", "1");
          put(tx, table, "n", "2");
          return null;
        });
    try (Transaction tx = client.begin()) {
      put(tx, table, "a", "changed");
      tx.table(table).put(new Put(bytes("b")).addColumn(OTHER_FAMILY, COLUMN, new byte[0]));
      tx.table(table).delete(new Delete(bytes("n")));
      assertThat(get(tx, table, "a")).isEqualTo("changed");
      assertThat(get(tx, table, "n")).isEqualTo("-");
      assertThat(tx.table(table).exists(new Get(bytes("b")))).isTrue();
      assertThat(rows(tx, table, new Scan())).containsExactly("a", "b");
      tx.table(table).delete(new Delete(bytes("b")));
      put(tx, table, "z", "new");
      assertThat(rows(tx, table, new Scan())).containsExactly("a", "z");
      assertThat(rows(tx, table, new Scan().setReversed(true))).containsExactly("z", "a");
      assertThat(rows(tx, table, new Scan().setLimit(1))).containsExactly("a");
      tx.commit();
    }
    try (Transaction after = client.begin()) {
      assertThat(rows(after, table, new Scan())).containsExactly("a", "z");
      assertThat(get(after, table, "a")).isEqualTo("changed");
    }
  }

  @Test
  void aSavepointUndoesWhatFollowedItFlushedOrNot() throws IOException {
    TableName table = cluster.createTable("savepoints", ConflictLevel.ROW, "m");
    try (Transaction tx = client.begin()) {
      put(tx, table, "a", "1");
      Savepoint savepoint = tx.savepoint();
      put(tx, table, "a", "2");
      put(tx, table, "x", "2");
      assertThat(rows(tx, table, new Scan())).containsExactly("a", "x"); // flushes
      put(tx, table, "b", "2");
      tx.rollbackTo(savepoint);
      assertThat(get(tx, table, "a")).isEqualTo("1");
      assertThat(rows(tx, table, new Scan())).containsExactly("a");
      put(tx, table, "c", "3");
      tx.commit();
    }
    try (Transaction after = client.begin()) {
      assertThat(rows(after, table, new Scan())).containsExactly("a", "c");
      assertThat(get(after, table, "a")).isEqualTo("1");
    }
  }

  @Test
  void aTransactionLargerThanItsBufferIsOneTransaction() throws IOException {
    TableName table = cluster.createTable("large", ConflictLevel.ROW, "row3", "row6");
    int rows = 3000;
    try (LamponeClient small =
            cluster.connect(
                "lampone.client.buffer.bytes", "20000", "lampone.client.request.rows", "100");
        Transaction tx = small.begin()) {
      for (int i = 0; i < rows; i++) {
        put(tx, table, "row" + i, "v" + i);
      }
      try (Transaction other = client.begin()) {
        assertThat(rows(other, table, new Scan())).isEmpty();
      }
      assertThat(get(tx, table, "row7")).isEqualTo("v7");
      tx.commit();
      assertThat(small.metrics().flushBatches()).isGreaterThan(10);
    }
    try (Transaction after = client.begin()) {
      assertThat(rows(after, table, new Scan())).hasSize(rows);
    }
  }

  @Test
  void severalTablesChangeTogether() throws IOException {
    TableName from = cluster.createTable("from", ConflictLevel.ROW);
    TableName to = cluster.createTable("to", ConflictLevel.ROW, "m");
    client.run(
        tx -> {
          tx.table(from).increment(new Increment(bytes("a")).addColumn(FAMILY, COLUMN, 100));
          return null;
        });
    client.run(
        tx -> {
          tx.table(from).increment(new Increment(bytes("a")).addColumn(FAMILY, COLUMN, -30));
          tx.table(to).increment(new Increment(bytes("z")).addColumn(FAMILY, COLUMN, 30));
          tx.table(to).append(new Append(bytes("z")).addColumn(OTHER_FAMILY, COLUMN, bytes("x")));
          tx.table(to).append(new Append(bytes("z")).addColumn(OTHER_FAMILY, COLUMN, bytes("y")));
          return null;
        });
    try (Transaction after = client.begin()) {
      assertThat(Bytes.toLong(after.table(from).get(new Get(bytes("a"))).value())).isEqualTo(70);
      Result z = after.table(to).get(new Get(bytes("z")));
      assertThat(Bytes.toLong(z.getValue(FAMILY, COLUMN))).isEqualTo(30);
      assertThat(z.getValue(OTHER_FAMILY, COLUMN)).isEqualTo(bytes("xy"));
    }
  }

  @Test
  void conditionsAndBatchesSeeTheWritesBeforeThem() throws Exception {
    TableName name = cluster.createTable("conditions", ConflictLevel.ROW);
    try (Transaction tx = client.begin()) {
      Table table = tx.table(name);
      CheckAndMutate ifAbsent =
          CheckAndMutate.newBuilder(bytes("r")).ifNotExists(FAMILY, COLUMN).build(putOf("r", "1"));
      assertThat(table.checkAndMutate(ifAbsent).isSuccess()).isTrue();
      assertThat(table.checkAndMutate(ifAbsent).isSuccess()).isFalse();
      List<Row> actions =
          List.of(
              new Get(bytes("r")),
              putOf("s", "2"),
              new Get(bytes("s")),
              new Delete(bytes("s")),
              new Get(bytes("s")));
      Object[] results = new Object[actions.size()];
      table.batch(actions, results);
      assertThat(((Result) results[0]).value()).isEqualTo(bytes("1"));
      assertThat(((Result) results[2]).value()).isEqualTo(bytes("2"));
      assertThat(((Result) results[4]).isEmpty()).isTrue();
      tx.commit();
    }
  }

  @Test
  void thePastCanBeRead() throws IOException {
    TableName table = cluster.createTable("past", ConflictLevel.ROW);
    long[] commits = new long[3];
    for (int i = 0; i < commits.length; i++) {
      try (Transaction tx = client.begin()) {
        put(tx, table, "r", "v" + i);
        tx.commit();
        commits[i] = tx.commitTimestamp().orElseThrow();
      }
    }
    for (int i = 0; i < commits.length; i++) {
      try (Transaction past = client.asOf(commits[i] + 256)) {
        assertThat(get(past, table, "r")).isEqualTo("v" + i);
        assertThatThrownBy(() -> put(past, table, "r", "x")).isInstanceOf(LamponeException.class);
      }
    }
    try (Transaction past = client.asOf(commits[0])) {
      assertThat(get(past, table, "r")).isEqualTo("-");
    }
    assertThatThrownBy(() -> client.asOf(commits[2] + 3_600_000_000_000L))
        .isInstanceOf(LamponeException.class)
        .hasMessageStartingWith("LP-401");
  }

  @Test
  void theOutcomeCanBeAskedForById() throws IOException {
    TableName table = cluster.createTable("outcomes", ConflictLevel.ROW);
    TransactionId committed;
    try (Transaction tx = client.begin()) {
      put(tx, table, "a", "1");
      assertThat(tx.id()).isEmpty();
      tx.commit();
      committed = tx.id().orElseThrow();
      assertThat(client.status(committed))
          .isEqualTo(new TransactionOutcome.Committed(tx.commitTimestamp().orElseThrow()));
    }
    TransactionId rolledBack;
    try (Transaction tx = client.begin()) {
      put(tx, table, "b", "1");
      rows(tx, table, new Scan()); // sends the intent
      rolledBack = tx.id().orElseThrow();
      assertThat(client.status(rolledBack)).isEqualTo(new TransactionOutcome.Running());
      tx.rollback();
    }
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(client.status(rolledBack)).isEqualTo(new TransactionOutcome.Aborted()));
    assertThat(client.status(TransactionId.parse(committed.toString())))
        .isInstanceOf(TransactionOutcome.Committed.class);
  }

  @Test
  void intentsOfOthersAreResolvedAndNotShown() throws IOException {
    TableName table = cluster.createTable("intents", ConflictLevel.ROW, "m");
    client.run(
        tx -> {
          for (String row : List.of("a", "b", "n", "o")) {
            put(tx, table, row, "old");
          }
          return null;
        });
    try (Transaction writer = client.begin()) {
      for (String row : List.of("a", "c", "n", "z")) {
        put(writer, table, row, "new");
      }
      rows(writer, table, new Scan()); // sends the intents
      try (Transaction reader = client.begin()) {
        assertThat(get(reader, table, "a")).isEqualTo("old");
        assertThat(rows(reader, table, new Scan())).containsExactly("a", "b", "n", "o");
        assertThat(rows(reader, table, new Scan().setReversed(true).setBatch(1).setCaching(1)))
            .containsExactly("o", "n", "b", "a");
        assertThat(rows(reader, table, new Scan().setLimit(3))).containsExactly("a", "b", "n");
        writer.commit();
        assertThat(get(reader, table, "z")).isEqualTo("-");
        assertThat(get(reader, table, "n")).isEqualTo("old");
      }
    }
    try (Transaction after = client.begin()) {
      assertThat(rows(after, table, new Scan())).containsExactly("a", "b", "c", "n", "o", "z");
      assertThat(get(after, table, "n")).isEqualTo("new");
    }
  }

  @Test
  void aRowThatComesInPartsIsWholeThoughIntentsAreMetInIt() throws IOException {
    TableName name = cluster.createTable("parts", ConflictLevel.CELL, "m");
    List<String> rows = List.of("a", "b", "n");
    client.run(
        tx -> {
          for (String row : rows) {
            tx.table(name).put(wide(row, "old", 0, 5));
          }
          return null;
        });
    try (Transaction writer = client.begin()) {
      for (String row : rows) {
        writer.table(name).put(wide(row, "new", 3, 7));
      }
      rows(writer, name, new Scan()); // sends the intents
      List<Scan> scans =
          List.of(
              new Scan(),
              new Scan().setBatch(2),
              new Scan().setBatch(3).setLimit(2),
              new Scan().setAllowPartialResults(true).setMaxResultSize(1),
              new Scan().setReversed(true).setBatch(4).setCaching(1),
              new Scan().setFilter(new ColumnPaginationFilter(2, 4)));
      for (Scan scan : scans) {
        try (Transaction reader = client.begin()) {
          List<String> cells = cells(reader, name, scan);
          try (Transaction again = client.begin()) {
            assertThat(cells(again, name, scan)).as(scan.toJSON()).isEqualTo(cells);
          }
          assertThat(cells).doesNotHaveDuplicates().allMatch(cell -> cell.endsWith("old"));
          if (scan.getFilter() == null) {
            int expected = scan.getLimit() > 0 ? scan.getLimit() : rows.size();
            assertThat(cells).as(scan.toJSON()).hasSize(expected * 10);
          } else {
            assertThat(cells).hasSize(rows.size() * 2);
          }
        }
      }
      writer.commit();
    }
    try (Transaction after = client.begin()) {
      assertThat(cells(after, name, new Scan().setBatch(2))).hasSize(rows.size() * 14);
    }
  }

  @Test
  void aSplitBetweenLocatingAndWritingIsNotNoticed() throws IOException {
    TableName name = cluster.createTable("splits", ConflictLevel.ROW);
    client.run(
        tx -> {
          put(tx, name, "a", "1");
          put(tx, name, "z", "1");
          return null;
        });
    try (Transaction tx = client.begin();
        Connection connection =
            ConnectionFactory.createConnection(cluster.hbase().configuration())) {
      connection.getAdmin().split(name, bytes("m"));
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> connection.getAdmin().getRegions(name).size() == 2);
      for (String row : List.of("a", "b", "m", "y", "z")) {
        put(tx, name, row, "2");
      }
      tx.commit();
    }
    try (Transaction after = client.begin()) {
      assertThat(rows(after, name, new Scan())).containsExactly("a", "b", "m", "y", "z");
      assertThat(get(after, name, "z")).isEqualTo("2");
    }
  }

  @Test
  void aScannerThatOutlivesItsTransactionFailsInsteadOfEnding() throws IOException {
    TableName name = cluster.createTable("outlived", ConflictLevel.ROW);
    client.run(
        tx -> {
          put(tx, name, "a", "1");
          put(tx, name, "b", "1");
          return null;
        });
    try (Transaction tx = client.begin()) {
      ResultScanner scanner = tx.table(name).getScanner(new Scan());
      assertThat(scanner.next()).isNotNull();
      tx.commit();
      assertThatThrownBy(scanner::next).hasMessageStartingWith("LP-403");
    }
  }

  @Test
  void theAsynchronousFormDoesTheSame() throws Exception {
    TableName name = cluster.createTable("async", ConflictLevel.ROW, "m");
    String seen =
        client
            .runAsync(
                TransactionOptions.DEFAULT,
                tx ->
                    tx.table(name)
                        .putAll(List.of(putOf("a", "1"), putOf("z", "2")))
                        .thenCompose(done -> tx.table(name).scanAll(new Scan()))
                        .thenApply(rows -> rows.size() + " rows"))
            .get();
    assertThat(seen).isEqualTo("2 rows");
    try (Transaction after = client.begin()) {
      assertThat(rows(after, name, new Scan())).containsExactly("a", "z");
    }
  }

  /** Columns of both families, from..to-1. */
  private static Put wide(String row, String value, int from, int to) {
    Put put = new Put(bytes(row));
    for (int i = from; i < to; i++) {
      put.addColumn(FAMILY, bytes("c" + i), bytes(value));
      put.addColumn(OTHER_FAMILY, bytes("c" + i), bytes(value));
    }
    return put;
  }

  /** Returns the cells of a scan, as text. */
  private static List<String> cells(Transaction transaction, TableName table, Scan scan)
      throws IOException {
    List<String> cells = new ArrayList<>();
    try (ResultScanner scanner = transaction.table(table).getScanner(scan)) {
      for (Result result : scanner) {
        for (Cell cell : result.rawCells()) {
          cells.add(
              CellUtil.getCellKeyAsString(cell)
                  + "="
                  + new String(CellUtil.cloneValue(cell), StandardCharsets.UTF_8));
        }
      }
    }
    return cells;
  }

  /** Returns the rows of a scan. */
  private static List<String> rows(Transaction transaction, TableName table, Scan scan)
      throws IOException {
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = transaction.table(table).getScanner(scan)) {
      for (Result result : scanner) {
        rows.add(new String(result.getRow(), StandardCharsets.UTF_8));
      }
    }
    return rows;
  }
}
