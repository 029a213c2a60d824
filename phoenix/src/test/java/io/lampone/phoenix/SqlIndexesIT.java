package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.phoenix.SqlCluster.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An index holds what its table holds, however transactions end. */
@ExtendWith(SqlCluster.class)
class SqlIndexesIT {

  private final Sql sql;

  private String table;

  SqlIndexesIT(Sql sql) {
    this.sql = sql;
  }

  private void create(Connection connection, String name, boolean immutable) throws SQLException {
    table = name + "_" + immutable;
    update( // a split has the type of its value
        connection,
        "CREATE TABLE "
            + table
            + " (id INTEGER NOT NULL PRIMARY KEY, kind VARCHAR, n BIGINT) TRANSACTIONAL=true"
            + (immutable ? ", IMMUTABLE_ROWS=true" : "")
            + " SPLIT ON (2)");
    update(connection, "CREATE INDEX " + table + "_X ON " + table + " (kind) INCLUDE (n)");
    for (int id = 0; id < 4; id++) {
      upsert(connection, id, "k" + id, id);
    }
    connection.commit();
  }

  private void upsert(Connection connection, int id, String kind, int n) throws SQLException {
    update(connection, "UPSERT INTO " + table + " VALUES (" + id + ", '" + kind + "', " + n + ")");
  }

  private void requireRows(Connection connection, String... rows) throws SQLException {
    assertThat(query(connection, "SELECT /*+ NO_INDEX */ * FROM " + table + " ORDER BY id"))
        .containsExactly(rows);
    assertThat(
            query(
                connection,
                "SELECT \":ID\", \"0:KIND\", \"0:N\" FROM " + table + "_X ORDER BY \":ID\""))
        .containsExactly(rows);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsRolledBackIsInNeither_alsoIfItWasSent(boolean immutable) throws SQLException {
    try (Connection connection = sql.connect(false)) {
      create(connection, "ROLLED_BACK", immutable);
      upsert(connection, 7, "k7", 7);
      update(connection, "DELETE FROM " + table + " WHERE id = 3");
      requireRows(connection, "0 k0 0", "1 k1 1", "2 k2 2", "7 k7 7"); // which sends it
      connection.rollback();
      requireRows(connection, "0 k0 0", "1 k1 1", "2 k2 2", "3 k3 3");
    }
  }

  /** The index row of the old value goes, the one of the new value comes, of the winner alone. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void ofTwoWhoChangeTheIndexedColumnOneWins(boolean sent) throws SQLException {
    try (Connection first = sql.connect(false);
        Connection second = sql.connect(false)) {
      create(first, "CONFLICT_" + sent, false);
      requireRows(second, "0 k0 0", "1 k1 1", "2 k2 2", "3 k3 3");
      upsert(first, 1, "first", 10);
      upsert(second, 1, "second", 20);
      upsert(second, 0, "second", 20);
      if (sent) {
        requireRows(second, "0 second 20", "1 second 20", "2 k2 2", "3 k3 3");
      }
      first.commit();
      assertThatThrownBy(second::commit)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(523));
      second.rollback();
      requireRows(second, "0 k0 0", "1 first 10", "2 k2 2", "3 k3 3");
      upsert(second, 1, "again", 30);
      update(second, "DELETE FROM " + table + " WHERE kind = 'k3'");
      second.commit();
      second.commit();
      requireRows(first, "0 k0 0", "1 again 30", "2 k2 2");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRowThatIsWrittenAndDeletedInOneTransactionIsInNeither(boolean immutable)
      throws SQLException {
    try (Connection connection = sql.connect(false)) {
      create(connection, "GONE", immutable);
      upsert(connection, 8, "k8", 8);
      update(connection, "DELETE FROM " + table + " WHERE id = 8");
      update(connection, "DELETE FROM " + table + " WHERE id = 0");
      upsert(connection, 0, "anew", 5);
      connection.commit();
      requireRows(connection, "0 anew 5", "1 k1 1", "2 k2 2", "3 k3 3");
      update(connection, "DELETE FROM " + table);
      requireRows(connection);
      connection.commit();
      requireRows(connection);
    }
  }

  /** Phoenix forgets to take back the delete of the index row; by their names it sends the two. */
  @ParameterizedTest
  @CsvSource({
    "R, true, true", "R, true, false", "R, false, true", "R, false, false",
    "DU, true, false", "DU, false, false", "ACCOUNTS, true, false", "ACCOUNTS, false, false"
  })
  void aRowThatIsDeletedAndWrittenAgainInOneTransactionIsInBoth(
      String name, boolean immutable, boolean sent) throws SQLException {
    try (Connection connection = sql.connect(false)) {
      create(connection, name + (sent ? "_SENT" : ""), immutable);
      update(connection, "DELETE FROM " + table + " WHERE id = 1");
      upsert(connection, 1, "k1", 10);
      update(connection, "DELETE FROM " + table + " WHERE id = 2");
      upsert(connection, 2, "anew", 20);
      update(connection, "DELETE FROM " + table + " WHERE id = 0");
      if (sent) {
        requireRows(connection, "1 k1 10", "2 anew 20", "3 k3 3");
      }
      connection.commit();
      requireRows(connection, "1 k1 10", "2 anew 20", "3 k3 3");
      upsert(connection, 3, "k3", 30);
      update(connection, "DELETE FROM " + table + " WHERE kind = 'k3'");
      connection.commit();
      requireRows(connection, "1 k1 10", "2 anew 20");
    }
  }

  /** So it is while another client makes the index. */
  @ParameterizedTest
  @ValueSource(strings = {"R", "DU", "ACCOUNTS"})
  void aRowThatIsDeletedAndWrittenAgainIsInAnIndexThatIsNotActive(String name) throws SQLException {
    try (Connection connection = sql.connect(false)) {
      create(connection, name + "_UNUSABLE", false);
      String alter = "ALTER INDEX " + table + "_X ON " + table;
      update(connection, alter + " UNUSABLE");
      update(connection, "DELETE FROM " + table + " WHERE id = 1");
      upsert(connection, 1, "k1", 10);
      connection.commit();
      update(connection, alter + " USABLE");
      requireRows(connection, "0 k0 0", "1 k1 10", "2 k2 2", "3 k3 3");
    }
  }

  /** Rows are sent in batches, and an index row of an earlier batch is replaced by a later one. */
  @ParameterizedTest
  @CsvSource({"true, ''", "false, ''", "true, LIMIT 250", "false, LIMIT 250"})
  void aRowThatAStatementWritesSeveralTimesIsInBothOnce(boolean autoCommit, String limit)
      throws SQLException {
    try (Connection connection = sql.connect(false)) {
      create(connection, "REPEATED_" + autoCommit + limit.length(), false);
      update(connection, "DELETE FROM " + table + " WHERE id < 2");
      for (int id = 2; id < 250; id++) {
        upsert(connection, id, "k" + id, id);
      }
      connection.commit();
      connection.setAutoCommit(autoCommit);
      String same = "UPSERT INTO " + table + " SELECT 5000, kind, n FROM " + table + " ";
      update(connection, same + limit);
      connection.setAutoCommit(false);
      connection.commit();
      assertThat(query(connection, "SELECT \":ID\" FROM " + table + "_X WHERE \":ID\" = 5000"))
          .containsExactly("5000");
      update(connection, "DELETE FROM " + table + " WHERE id BETWEEN 4 AND 4999");
      String row = query(connection, "SELECT * FROM " + table + " WHERE id = 5000").get(0);
      requireRows(connection, "2 k2 2", "3 k3 3", row);
      connection.commit();
    }
  }

  /** Both look for the former index rows before the other has written. */
  @Test
  void aRowThatTwoThreadsOfAStatementWriteAtOnceIsInBothOnce_orTheStatementFails()
      throws SQLException {
    try (Connection connection = sql.connect(false)) {
      create(connection, "AT_ONCE", false);
      update(connection, "DELETE FROM " + table);
      connection.commit(); // or the statement that follows drops it
      String source = "AT_ONCE_SOURCE";
      update(
          connection,
          "CREATE TABLE "
              + source
              + " (id INTEGER NOT NULL PRIMARY KEY, kind VARCHAR) TRANSACTIONAL=true"
              + " SPLIT ON (10000)");
      for (int id = 0; id < 2000; id++) {
        String values = id + ", 'low')";
        update(connection, "UPSERT INTO " + source + " VALUES (" + values);
        values = (10_000 + id) + ", 'high')";
        update(connection, "UPSERT INTO " + source + " VALUES (" + values);
      }
      connection.commit();
      String all = "UPSERT INTO " + table + " SELECT id % 10000, kind, id FROM " + source;
      try {
        update(connection, all);
        connection.commit();
      } catch (SQLException e) {
        assertThat(e.getMessage()).contains("LP-403");
        connection.rollback();
      }
      String ordered = "SELECT /*+ NO_INDEX */ * FROM " + table + " ORDER BY id";
      List<String> rows = query(connection, ordered);
      requireRows(connection, rows.toArray(String[]::new));
    }
  }

  /** After a conflict between immutable tables Phoenix sends all writes again. */
  @ParameterizedTest
  @ValueSource(strings = {"DELETE FROM %s WHERE id = 1", "UPSERT INTO %s VALUES (1, 'mine', 1)"})
  void writesToAnImmutableTableWithAnIndexAreNotSentAgain(String statement) throws SQLException {
    try (Connection first = sql.connect(false);
        Connection second = sql.connect(true)) {
      create(first, "AGAIN_" + statement.charAt(0), true);
      update(first, "DELETE FROM " + table + " WHERE id > 1");
      if (statement.startsWith("UPSERT")) {
        update(first, "DELETE FROM " + table + " WHERE id = 1"); // both insert it
      }
      first.commit();
      update(first, String.format(statement, table));
      update(second, "DELETE FROM " + table + " WHERE id = 1");
      upsert(second, 1, "theirs", 10);

      assertThatThrownBy(first::commit)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(523));

      first.rollback();
      requireRows(second, "0 k0 0", "1 theirs 10");
    }
  }

  /** After a conflict Phoenix leaves a transaction, which has named the tables. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void afterAConflictTheStatementsAreRunAgain_alsoWithoutARollback(boolean immutable)
      throws SQLException {
    try (Connection first = sql.connect(false);
        Connection second = sql.connect(true)) {
      create(first, "RUN_AGAIN", immutable);
      update(first, "DELETE FROM " + table + " WHERE id = 1");
      update(second, "DELETE FROM " + table + " WHERE id = 1");
      assertThatThrownBy(first::commit)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(523));

      update(first, "DELETE FROM " + table + " WHERE id = 0");
      upsert(first, 1, "first", 1);
      first.commit();

      requireRows(second, "1 first 1", "2 k2 2", "3 k3 3");
    }
  }

  /** Phoenix only logs a failure that meets the index rows of an immutable table. */
  @Test
  void whoseIndexRowsCannotBeWrittenDoesNotCommit() throws SQLException {
    Properties few = new Properties();
    few.setProperty("lampone.client.transaction.cells", "25");
    try (Connection connection = sql.connect(false);
        Connection limited = sql.connectAs("few_cells", false, few)) {
      create(connection, "LIMITED", true);
      for (int id = 4; id < 10; id++) {
        upsert(connection, id, "k" + id, id);
      }
      connection.commit();
      String ordered = "SELECT /*+ NO_INDEX */ * FROM " + table + " ORDER BY id";
      List<String> before = query(connection, ordered);
      connection.commit();

      update(limited, "DELETE FROM " + table);
      assertThatThrownBy(limited::commit)
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("LP-404");

      requireRows(connection, before.toArray(String[]::new));
    }
  }

  /** Phoenix would write all rows into it. */
  @Test
  void anIndexOfSomeRowsIsRefused() throws SQLException {
    try (Connection connection = sql.connect(false)) {
      create(connection, "PARTIAL", false);
      String some = "CREATE INDEX PARTIAL_Y ON " + table + " (n) INCLUDE (kind)";

      assertThatThrownBy(() -> update(connection, some + " WHERE n > 1"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("DROP INDEX PARTIAL_Y ON PARTIAL_");

      connection.rollback();
      upsert(connection, 7, "k7", 7);
      connection.commit();
      requireRows(connection, "0 k0 0", "1 k1 1", "2 k2 2", "3 k3 3", "7 k7 7");
      update(connection, "CREATE INDEX WHOLE_Y ON " + table + " (n)");
      assertThat(query(connection, "SELECT \":ID\" FROM WHOLE_Y")).hasSize(5);
      update(connection, "DROP INDEX PARTIAL_Y ON " + table);
      update(connection, some);
      assertThat(query(connection, "SELECT \":ID\" FROM PARTIAL_Y")).hasSize(5);
    }
  }
}
