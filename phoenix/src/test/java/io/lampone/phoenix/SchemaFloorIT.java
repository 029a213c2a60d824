package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.hbase.TableSettings;
import io.lampone.phoenix.SqlCluster.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.phoenix.execute.CommitException;
import org.apache.phoenix.jdbc.PhoenixConnection;
import org.apache.phoenix.schema.types.PInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writers that do not know an index do not commit after it was added, whether the transaction
 * manager validates them, or a region admits them on its own.
 */
@ExtendWith(SqlCluster.class)
class SchemaFloorIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int INDEXES = 3;
  private static final String IMMUTABLE =
      ", IMMUTABLE_ROWS=true, IMMUTABLE_STORAGE_SCHEME=ONE_CELL_PER_COLUMN";
  private static final AtomicInteger TABLES = new AtomicInteger();

  private final Sql sql;

  SchemaFloorIT(Sql sql) {
    this.sql = sql;
  }

  private static void create(Connection connection, String table) throws SQLException {
    create(connection, table, "");
  }

  private static void create(Connection connection, String table, String options)
      throws SQLException {
    update(
        connection,
        "CREATE TABLE "
            + table
            + " (id INTEGER NOT NULL PRIMARY KEY, a VARCHAR, b BIGINT) TRANSACTIONAL=true,"
            + " COLUMN_ENCODED_BYTES=0"
            + options
            + " SPLIT ON (4)");
    update(connection, "UPSERT INTO " + table + " VALUES (0, 'first', 0)");
  }

  static void index(Connection connection, String table) throws SQLException {
    update(connection, "CREATE INDEX " + table + "_X ON " + table + " (a) INCLUDE (b)");
  }

  static void requireIndexEqual(Connection connection, String table, String index)
      throws SQLException {
    assertThat(query(connection, "SELECT \":ID\", \"0:A\", \"0:B\" FROM " + index + " ORDER BY 1"))
        .isNotEmpty()
        .isEqualTo(query(connection, "SELECT /*+ NO_INDEX */ * FROM " + table + " ORDER BY id"));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7})
  void aTransactionThatBeganEarlierDoesNotCommit(int secondRow) throws SQLException {
    String table = "EARLIER_" + secondRow;
    try (Connection other = sql.connect(true);
        Connection connection = sql.connect(false)) {
      create(other, table);
      update(connection, "UPSERT INTO " + table + " VALUES (2, 'lost', 2)");
      update(connection, "UPSERT INTO " + table + " VALUES (" + secondRow + ", 'lost', 1)");
      index(other, table);

      assertThatThrownBy(connection::commit)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(523));

      connection.rollback();
      requireIndexEqual(other, table, table + "_X");
      update(connection, "UPSERT INTO " + table + " VALUES (2, 'found', 2)");
      connection.commit();
      requireIndexEqual(other, table, table + "_X");
    }
  }

  /**
   * After a conflict, the Phoenix of a client that finds a new index sends the writes again, on its
   * own: deletes without their index rows, and what follows from rows that have changed meanwhile.
   */
  @ParameterizedTest
  @CsvSource({
    "false, DELETE FROM %s WHERE id = 2",
    "false, DELETE FROM %s WHERE b < 3",
    "true, DELETE FROM %s WHERE id = 2",
    "false, 'UPSERT INTO %s (id, b) SELECT id, b + 1 FROM %1$s WHERE id = 2'",
    "false, 'UPSERT INTO %s VALUES (2, ''again'', 20)'"
  })
  void writesInConflictWithANewIndexAreNotSentAgain(boolean immutable, String statement)
      throws SQLException {
    String table = "REPEATED_" + TABLES.incrementAndGet();
    String text = String.format(statement, table);
    try (Connection other = sql.connect(true);
        Connection connection = sql.connectAs(table, false, new Properties())) {
      create(other, table, immutable ? IMMUTABLE : "");
      update(other, "UPSERT INTO " + table + " VALUES (2, 'second', 2)");
      update(connection, text);
      update(other, "UPSERT INTO " + table + " (id, b) VALUES (2, 100)");
      index(other, table);

      assertThatThrownBy(connection::commit)
          .isInstanceOfSatisfying(SQLException.class, e -> assertThat(code(e)).isEqualTo(523));

      connection.rollback();
      assertThat(query(other, "SELECT b FROM " + table + " WHERE id = 2")).containsExactly("100");
      requireIndexEqual(other, table, table + "_X");
      update(connection, text);
      connection.commit();
      requireIndexEqual(other, table, table + "_X");
    }
  }

  /** Phoenix takes an index of the same name for the same. */
  @Test
  void deletesThatKnowAFormerIndexOfTheSameNameAreNotSentAgain() throws SQLException {
    String table = "REPEATED_" + TABLES.incrementAndGet();
    try (Connection other = sql.connect(true);
        Connection connection = sql.connectAs(table, false, new Properties())) {
      create(other, table, IMMUTABLE);
      index(other, table);
      update(other, "UPSERT INTO " + table + " VALUES (2, 'second', 2)");
      update(connection, "DELETE FROM " + table + " WHERE id = 2");
      update(other, "DROP INDEX " + table + "_X ON " + table);
      update(other, "CREATE INDEX " + table + "_X ON " + table + " (b) INCLUDE (a)");

      assertThatThrownBy(connection::commit)
          .isInstanceOfSatisfying(SQLException.class, e -> assertThat(code(e)).isEqualTo(523));

      connection.rollback();
      assertThat(query(other, "SELECT \"0:B\" FROM " + table + "_X")).containsExactly("0", "2");
    }
  }

  /** Of a write that fails with the commit, Phoenix shows the code in the cause only. */
  static int code(SQLException e) {
    return e instanceof CommitException && e.getCause() instanceof SQLException cause
        ? cause.getErrorCode()
        : e.getErrorCode();
  }

  /** What an autocommit statement does that has looked up the indexes before one was added. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aStatementThatLookedItUpEarlierDoesNotCommit(int rows) throws Exception {
    String table = "LATE_" + rows;
    try (Connection connection = sql.connect(true)) {
      create(connection, table);
      long known = known(connection);
      SqlTransaction statement = late(connection);
      TableName name = TableName.valueOf(table);
      statement.checkFence(name);
      index(connection, table);

      assertThatThrownBy(
              () -> {
                for (long id = 1; id <= rows; id++) {
                  statement.write(name, List.of(row(id)), copy(table, known));
                }
                statement.commit();
              })
          .isInstanceOfSatisfying(
              LamponeException.class, e -> assertThat(e.code()).isEqualTo(Code.ABORTED))
          .hasMessageContaining("an index was added");

      requireIndexEqual(connection, table, table + "_X");
      SqlTransaction again = late(connection);
      again.checkFence(name);
      again.write(name, List.of(row(3)), copy(table, known(connection)));
      again.commit();
    }
  }

  private static TableCopy copy(String table, long known) {
    return new TableCopy(table, known, List.of());
  }

  private static PhoenixClient client(Connection connection) throws SQLException {
    return PhoenixClient.of(connection.unwrap(PhoenixConnection.class));
  }

  /** A start timestamp, which is known before the next look-up. */
  private static long known(Connection connection) throws Exception {
    SqlTransaction begun = SqlTransaction.begun(client(connection), TIMEOUT);
    begun.rollback();
    return begun.id();
  }

  private static SqlTransaction late(Connection connection) throws Exception {
    SqlTransaction statement = client(connection).beginLate(TIMEOUT, true);
    assertThat(statement.timestamps().start()).isZero();
    return statement;
  }

  private static Mutation row(long id) {
    byte[] family = Bytes.toBytes("0");
    return new Put(PInteger.INSTANCE.toBytes(id))
        .addColumn(family, Bytes.toBytes("A"), Bytes.toBytes("unknown"))
        .addColumn(family, Bytes.toBytes("_0"), Bytes.toBytes("x"));
  }

  /** A tool read the table before the index came, and alters it afterwards. */
  @Test
  void alteringATableDoesNotLowerTheFloors() throws Exception {
    try (Connection connection = sql.connect(true);
        org.apache.hadoop.hbase.client.Connection hbase =
            ConnectionFactory.createConnection(sql.cluster().configuration());
        Admin admin = hbase.getAdmin()) {
      create(connection, "ALTERED");
      TableName name = TableName.valueOf("ALTERED");
      TableDescriptor before = admin.getDescriptor(name);
      assertThat(TableSettings.of(before).orElseThrow().schemaFloor()).isZero();
      index(connection, "ALTERED");
      sql.fence(name);
      TableSettings settings = TableSettings.of(admin.getDescriptor(name)).orElseThrow();
      assertThat(settings.schemaFloor()).isPositive();
      assertThat(settings.floor()).isGreaterThan(TableSettings.of(before).orElseThrow().floor());

      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(before).setValue("owner", "somebody").build());

      TableDescriptor altered = admin.getDescriptor(name);
      assertThat(altered.getValue("owner")).isEqualTo("somebody");
      assertThat(TableSettings.of(altered)).contains(settings);
    }
  }

  /** Autocommit and explicit transactions, in one region and in two, while indexes are added. */
  @Test
  void noRowIsMissingInIndexesThatAreAddedUnderLoad() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    AtomicBoolean stopped = new AtomicBoolean();
    try (Connection connection = sql.connect(true)) {
      create(connection, "LOADED");
      List<Future<Integer>> writers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        boolean autocommit = i == 0;
        long seed = i;
        writers.add(pool.submit(() -> write(autocommit, new Random(seed), stopped)));
      }
      try {
        for (int i = 0; i < INDEXES; i++) {
          createUnderLoad(connection, i);
        }
      } finally {
        stopped.set(true);
      }
      for (Future<Integer> writer : writers) {
        assertThat(writer.get(60, TimeUnit.SECONDS)).isPositive();
      }
      for (int i = 0; i < INDEXES; i++) {
        requireIndexEqual(connection, "LOADED", "LOADED_" + i);
      }
    } finally {
      pool.shutdownNow();
    }
  }

  /** Adds an index. The last one is also made again. */
  private static void createUnderLoad(Connection connection, int number) throws SQLException {
    update(connection, "CREATE INDEX LOADED_" + number + " ON LOADED (a) INCLUDE (b)");
    if (number == INDEXES - 1) {
      update(connection, "ALTER INDEX LOADED_" + number + " ON LOADED REBUILD");
    }
  }

  private int write(boolean autocommit, Random random, AtomicBoolean stopped) throws SQLException {
    int committed = 0;
    try (Connection own = sql.connect(autocommit)) {
      while (!stopped.get()) {
        try {
          int statements = autocommit ? 1 : 1 + random.nextInt(3);
          for (int i = 0; i < statements; i++) {
            int id = random.nextInt(8);
            update(
                own,
                "UPSERT INTO LOADED VALUES (" + id + ", 'a" + committed + "', " + committed + ")");
          }
          if (!autocommit) {
            own.commit();
          }
          committed++;
        } catch (SQLException e) {
          if (!isRebuilding(e)) {
            assertThat(e.getErrorCode()).as(e.getMessage()).isEqualTo(523);
          }
          own.rollback();
        }
      }
    }
    return committed;
  }

  /** To rebuild an index, Phoenix disables its table, drops it and makes it again. */
  private static boolean isRebuilding(SQLException e) {
    return e.getMessage().contains("is disabled in HBase")
        || e.getMessage().contains("TableNotFoundException: LOADED_")
        || e.getMessage().matches("(?s).*LOADED_\\d+ is closing.*");
  }
}
