package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.ClientMetrics;
import io.lampone.hbase.TableSettings;
import io.lampone.phoenix.SqlCluster.Sql;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.phoenix.exception.SQLExceptionCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements under autocommit: those of one row use the fast path, and no other does. */
@ExtendWith(SqlCluster.class)
class AutocommitIT {

  private static final int ROUNDS = 40;
  private static final int ATTEMPTS = 5;

  private final Sql sql;

  AutocommitIT(Sql sql) {
    this.sql = sql;
  }

  /** Calls that statements make; calls of the transaction manager by other statements included. */
  private record Calls(long manager, long fastReads, long fastWrites, long oneRegionCommits) {

    static final Calls READ = new Calls(0, 1, 0, 0);
    static final Calls WRITE = new Calls(0, 0, 1, 0);

    static Calls of(Connection connection) throws SQLException {
      ClientMetrics now = LamponePhoenix.metrics(connection);
      return new Calls(
          now.managerRequests(), now.fastReads(), now.fastWrites(), now.oneRegionCommits());
    }

    long total() {
      return manager + fastReads + fastWrites + oneRegionCommits;
    }

    Calls since(Calls before) {
      return new Calls(
          manager - before.manager,
          fastReads - before.fastReads,
          fastWrites - before.fastWrites,
          oneRegionCommits - before.oneRegionCommits);
    }
  }

  @FunctionalInterface
  private interface Statements {
    void run() throws SQLException;
  }

  /**
   * Returns the fewest calls of several runs: in one, the session may ask for a newer timestamp, or
   * hear of a region.
   */
  private static Calls calls(Connection connection, Statements statements) throws SQLException {
    Calls fewest = null;
    for (int i = 0; i < ATTEMPTS; i++) {
      Calls before = Calls.of(connection);
      statements.run();
      Calls calls = Calls.of(connection).since(before);
      if (fewest == null || calls.total() < fewest.total()) {
        fewest = calls;
      }
    }
    return fewest;
  }

  private void create(Connection connection, String table) throws SQLException {
    update(
        connection,
        "CREATE TABLE "
            + table
            + " (id BIGINT NOT NULL PRIMARY KEY, a VARCHAR, b BIGINT) TRANSACTIONAL=true");
  }

  @Test
  void theTimestampsOfTheLatestTransactionAreKnown() throws SQLException {
    try (Connection connection = sql.connect(true)) {
      assertThat(LamponePhoenix.timestamps(connection)).isEqualTo(SqlTimestamps.NONE);
      create(connection, "stamped");
      update(connection, "UPSERT INTO stamped VALUES (1, 'x', 5)");
      update(connection, "UPSERT INTO stamped VALUES (1, 'x', 6)");
      SqlTimestamps fast = LamponePhoenix.timestamps(connection);
      assertThat(fast.start()).isZero();
      assertThat(fast.commit()).isPositive();
      connection.setAutoCommit(false);
      query(connection, "SELECT * FROM stamped");
      connection.commit();
      SqlTimestamps reader = LamponePhoenix.timestamps(connection);
      assertThat(reader.start()).isGreaterThan(fast.commit());
      assertThat(reader.commit()).isZero();
      update(connection, "UPSERT INTO stamped VALUES (1, 'x', 7)");
      connection.commit();
      SqlTimestamps writer = LamponePhoenix.timestamps(connection);
      assertThat(writer.commit()).isGreaterThan(writer.start());
      assertThat(writer.start()).isGreaterThan(reader.start());
    }
  }

  @Test
  void aStatementOfOneRowIsOneCall() throws SQLException {
    try (Connection connection = sql.connect(true)) {
      create(connection, "one_row");
      oneRow(connection, "one_row");
    }
  }

  /** Phoenix encodes the columns of a table that was made without transactions. */
  @Test
  void aStatementOfOneRowOfAnAdoptedTableIsOneCall() throws SQLException {
    try (Connection connection = sql.connect(true)) {
      update(
          connection, "CREATE TABLE encoded (id BIGINT NOT NULL PRIMARY KEY, a VARCHAR, b BIGINT)");
      LamponePhoenix.adopt(connection, "ENCODED");
      oneRow(connection, "encoded");
    }
  }

  private static void oneRow(Connection connection, String table) throws SQLException {
    assertThat(
            calls(
                connection, () -> update(connection, "UPSERT INTO " + table + " VALUES (1,'x',5)")))
        .isEqualTo(Calls.WRITE);
    assertThat(
            calls(
                connection, () -> query(connection, "SELECT a, b FROM " + table + " WHERE id = 1")))
        .isEqualTo(Calls.READ);
    assertThat(query(connection, "SELECT * FROM " + table + " WHERE id = 1"))
        .containsExactly("1 x 5");
    assertThat(query(connection, "SELECT b + 1, id FROM " + table + " WHERE id = 1"))
        .containsExactly("6 1");
    assertThat(query(connection, "SELECT a FROM " + table + " WHERE id = 2")).isEmpty();
    update(connection, "UPSERT INTO " + table + " (id, a) VALUES (1, null)");
    assertThat(query(connection, "SELECT a, b FROM " + table + " WHERE id = 1"))
        .containsExactly("null 5");
    assertThat(
            calls(connection, () -> update(connection, "DELETE FROM " + table + " WHERE id = 1")))
        .isEqualTo(Calls.WRITE);
    assertThat(query(connection, "SELECT a FROM " + table + " WHERE id = 1")).isEmpty();
    assertThat(query(connection, "SELECT COUNT(*) FROM " + table)).containsExactly("0");
  }

  @Test
  void familiesSaltAndSeveralKeyColumnsAreRead() throws SQLException {
    try (Connection connection = sql.connect(true)) {
      update(
          connection,
          "CREATE TABLE wide (k VARCHAR NOT NULL, n BIGINT NOT NULL, x.a VARCHAR, y.b BIGINT,"
              + " y.c DECIMAL CONSTRAINT pk PRIMARY KEY (k, n DESC)) TRANSACTIONAL=true,"
              + " SALT_BUCKETS=3");
      update(connection, "UPSERT INTO wide VALUES ('k', 1, 'a', 2, 1.5)");

      String byKey = " FROM wide WHERE k = 'k' AND n = 1";
      assertThat(query(connection, "SELECT *" + byKey)).containsExactly("k 1 a 2 1.5");
      assertThat(query(connection, "SELECT c, n" + byKey)).containsExactly("1.5 1");
      assertThat(calls(connection, () -> query(connection, "SELECT b" + byKey)))
          .isEqualTo(Calls.READ);
    }
  }

  @Test
  void otherStatementsAreTransactions() throws SQLException {
    try (Connection connection = sql.connect(true)) {
      create(connection, "others");
      update(connection, "UPSERT INTO others VALUES (1,'x',5)");
      update(connection, "UPSERT INTO others VALUES (2,'y',6)");

      for (String query :
          List.of(
              "SELECT COUNT(*) FROM others",
              "SELECT a FROM others WHERE id IN (1, 2)",
              "SELECT a FROM others WHERE id = 1 AND b = 5",
              "SELECT x.a FROM others x JOIN others y ON x.id = y.id WHERE x.id = 1",
              "SELECT a FROM others WHERE id = 1 ORDER BY b LIMIT 1")) {
        Calls calls = calls(connection, () -> assertThat(query(connection, query)).isNotEmpty());
        assertThat(calls.manager()).as(query).isPositive();
        assertThat(calls.fastReads()).as(query).isZero();
      }
      Calls calls =
          calls(
              connection,
              () -> update(connection, "UPSERT INTO others SELECT id, a, b FROM others"));
      assertThat(calls.manager()).isPositive();
      assertThat(calls.fastReads() + calls.fastWrites()).isZero();
    }
  }

  @Test
  void withIndexAStatementIsATransaction() throws SQLException {
    try (Connection connection = sql.connect(true)) {
      create(connection, "indexed");
      update(connection, "CREATE INDEX indexed_a ON indexed (a) INCLUDE (b)");

      Calls calls =
          calls(connection, () -> update(connection, "UPSERT INTO indexed VALUES (1,'x',5)"));

      assertThat(calls.fastWrites()).isZero();
      assertThat(calls.manager()).isEqualTo(2);
      assertThat(query(connection, "SELECT b FROM indexed WHERE a = 'x'")).containsExactly("5");
      update(connection, "DELETE FROM indexed WHERE id = 1");
      assertThat(query(connection, "SELECT b FROM indexed WHERE a = 'x'")).isEmpty();
    }
  }

  @Test
  void theFastPathCanBeSwitchedOff() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("lampone.sql.fast-path", "false");
    try (Connection connection = sql.connect(true, properties)) {
      create(connection, "regular");

      Calls write =
          calls(connection, () -> update(connection, "UPSERT INTO regular VALUES (1,'x',5)"));
      Calls read = calls(connection, () -> query(connection, "SELECT a FROM regular WHERE id = 1"));

      assertThat(write).isEqualTo(new Calls(1, 0, 0, 1));
      assertThat(read).isEqualTo(new Calls(1, 0, 0, 0));
    }
  }

  @Test
  void aTableWithoutFastPathIsReadAndWrittenInTransactions() throws SQLException, IOException {
    try (Connection connection = sql.connect(true);
        org.apache.hadoop.hbase.client.Connection hbase =
            ConnectionFactory.createConnection(sql.cluster().configuration());
        Admin admin = hbase.getAdmin()) {
      create(connection, "slow");
      TableName name = TableName.valueOf("SLOW");
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
              .setValue(TableSettings.FAST_PATH_KEY, "false")
              .build());

      update(connection, "UPSERT INTO slow VALUES (1,'x',5)");

      assertThat(query(connection, "SELECT b FROM slow WHERE id = 1")).containsExactly("5");
    }
  }

  @Test
  void anExplicitTransactionOfOneRegionIsNotValidated() throws SQLException {
    try (Connection connection = sql.connect(false)) {
      create(connection, "explicit");
      connection.commit();

      Calls calls =
          calls(
              connection,
              () -> {
                query(connection, "SELECT b FROM explicit WHERE id = 1");
                update(connection, "UPSERT INTO explicit VALUES (1,'x',5)");
                update(connection, "UPSERT INTO explicit VALUES (2,'y',6)");
                connection.commit();
              });

      assertThat(calls).isEqualTo(new Calls(1, 0, 0, 1));
      assertThat(query(connection, "SELECT SUM(b) FROM explicit")).containsExactly("11");
      connection.rollback();
    }
  }

  /** Phoenix does not end what a statement began that fails, or whose columns are asked for. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aStatementDoesNotReadTheSnapshotOfOneThatFailedBefore(boolean fails) throws SQLException {
    String table = "stale_" + fails;
    try (Connection connection = sql.connect(true);
        Connection idle = sql.connectAs(table, true, new Properties())) {
      create(connection, table);
      update(connection, "UPSERT INTO " + table + " VALUES (1, 'x', 5)");
      for (int i = 0; i < 2; i++) { // the first one gets the client its copy of the catalogue
        if (fails) {
          assertThatThrownBy(() -> query(idle, "SELECT nosuch FROM " + table))
              .isInstanceOf(SQLException.class);
        } else {
          try (PreparedStatement statement = idle.prepareStatement("SELECT b FROM " + table)) {
            assertThat(statement.getMetaData().getColumnCount()).isEqualTo(1);
          }
        }
      }

      do { // what nothing has read yet may be written below a snapshot
        update(connection, "UPSERT INTO " + table + " VALUES (1, 'x', 5)");
      } while (LamponePhoenix.timestamps(connection).commit()
          <= LamponePhoenix.timestamps(idle).start());
      update(connection, "UPSERT INTO " + table + " VALUES (1, 'x', 6)");

      assertThat(query(idle, "SELECT b FROM " + table + " WHERE id = 1")).containsExactly("6");
    }
  }

  /**
   * Phoenix sends rows of a statement before it has read all that it reads. Those that it could not
   * send it keeps for the next one, if the statement was not executed in parts.
   */
  @ParameterizedTest
  @CsvSource({"10000, / by zero,", "350, LP-404,", "350, LP-404, LIMIT 300"})
  void whatAStatementHasWrittenThatFails_isNotCommittedByTheNextOne(
      int cells, String failure, String limit) throws SQLException {
    String table = "partial_" + cells + (limit == null ? "" : "_limited");
    Properties few = new Properties();
    few.setProperty("lampone.client.transaction.cells", Integer.toString(cells));
    try (Connection connection = sql.connect(false);
        Connection failing = sql.connectAs(table, true, few)) {
      create(connection, table);
      for (int id = 0; id < 250; id++) {
        update(
            connection, "UPSERT INTO " + table + " VALUES (" + id + ", 'x', " + (id - 240) + ")");
      }
      connection.commit();
      String copy = "UPSERT INTO " + table + " SELECT id + 1000, a, 100 / b FROM " + table + " ";
      assertThatThrownBy(() -> update(failing, copy + (limit == null ? "" : limit)))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining(failure);
      String count = "SELECT COUNT(*) FROM " + table;
      if (limit != null) {
        assertThatThrownBy(() -> query(failing, count)).hasMessageContaining("LP-403");
      }

      for (int i = 0; i < 2; i++) {
        assertThat(query(failing, count)).containsExactly("250");
      }
      update(failing, copy + "WHERE id < 3");
      assertThat(query(failing, count)).containsExactly("253");
    }
  }

  /** Phoenix executes a batch without autocommit. */
  @Test
  void whatAStatementHasWrittenThatFails_isNotCommittedByABatch() throws SQLException {
    try (Connection connection = sql.connect(false);
        Connection failing = sql.connectAs("before_batch", true, new Properties())) {
      create(connection, "before_batch");
      for (int id = 0; id < 250; id++) {
        update(connection, "UPSERT INTO before_batch VALUES (" + id + ", 'x', " + (id - 240) + ")");
      }
      connection.commit();
      String copy = "UPSERT INTO before_batch SELECT id + 1000, a, 100 / b FROM before_batch";
      assertThatThrownBy(() -> update(failing, copy)).hasMessageContaining("/ by zero");

      String one = "UPSERT INTO before_batch VALUES (5000, 'y', 1)";
      try (PreparedStatement batch = failing.prepareStatement(one)) {
        batch.addBatch();
        batch.executeBatch();
      }
      assertThat(query(connection, "SELECT COUNT(*) FROM before_batch")).containsExactly("251");
    }
  }

  /** A statement that reads its row by key and writes it: no increment may be lost. */
  @Test
  void noUpdateIsLost() throws Exception {
    try (Connection connection = sql.connect(true)) {
      create(connection, "counters");
      update(connection, "UPSERT INTO counters VALUES (1, 'x', 0)");

      AtomicInteger done = new AtomicInteger();
      inParallel(
          2,
          thread -> {
            try (Connection own = sql.connect(true)) {
              for (int i = 0; i < ROUNDS; i++) {
                if (attempt(
                    own,
                    "UPSERT INTO counters (id, b) SELECT id, b + 1 FROM counters WHERE id = 1")) {
                  done.incrementAndGet();
                }
              }
            }
          });

      assertThat(done.get()).isPositive();
      assertThat(query(connection, "SELECT b FROM counters WHERE id = 1"))
          .containsExactly(Integer.toString(done.get()));
    }
  }

  /** Each half of the statement could use the fast path; together they are one snapshot. */
  @Test
  void twoReadsOfAStatementAreOneSnapshot() throws Exception {
    try (Connection connection = sql.connect(true)) {
      create(connection, "pair");
      update(connection, "UPSERT INTO pair VALUES (1, 'x', 100)");
      update(connection, "UPSERT INTO pair VALUES (2, 'y', 0)");
      AtomicInteger reads = new AtomicInteger();

      inParallel(
          2,
          thread -> {
            try (Connection own = sql.connect(thread == 0)) {
              for (int i = 0; i < ROUNDS; i++) {
                if (thread == 1) {
                  move(own, i % 2 == 0 ? 1 : -1);
                  continue;
                }
                List<String> rows = new ArrayList<>();
                if (attempt(
                    () ->
                        rows.addAll(
                            query(
                                own,
                                "SELECT b FROM pair WHERE id = 1 UNION ALL SELECT b FROM pair WHERE"
                                    + " id = 2")))) {
                  reads.incrementAndGet();
                  assertThat(rows.stream().mapToLong(Long::parseLong).sum()).isEqualTo(100);
                }
              }
            }
          });

      assertThat(reads.get()).isPositive();
    }
  }

  private static void move(Connection connection, long amount) throws SQLException {
    attempt(
        () -> {
          for (int id = 1; id <= 2; id++) {
            long balance =
                Long.parseLong(query(connection, "SELECT b FROM pair WHERE id = " + id).get(0));
            long changed = id == 1 ? balance - amount : balance + amount;
            update(connection, "UPSERT INTO pair (id, b) VALUES (" + id + ", " + changed + ")");
          }
          connection.commit();
        });
    connection.rollback();
  }

  private static boolean attempt(Connection connection, String statement) throws SQLException {
    return attempt(() -> update(connection, statement));
  }

  /** Returns false after a conflict. */
  private static boolean attempt(Statements statements) throws SQLException {
    try {
      statements.run();
      return true;
    } catch (SQLException e) {
      assertThat(e.getErrorCode())
          .as(e.getMessage())
          .isEqualTo(SQLExceptionCode.TRANSACTION_CONFLICT_EXCEPTION.getErrorCode());
      return false;
    }
  }

  @FunctionalInterface
  private interface Work {
    void run(int thread) throws Exception;
  }

  private static void inParallel(int threads, Work work) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        running.add(
            pool.submit(
                () -> {
                  work.run(thread);
                  return null;
                }));
      }
      for (Future<?> one : running) {
        one.get(60, TimeUnit.SECONDS);
      }
    } finally {
      pool.shutdownNow();
    }
  }
}
