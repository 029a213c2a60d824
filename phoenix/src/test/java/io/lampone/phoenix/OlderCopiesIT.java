package io.lampone.phoenix;

import static io.lampone.phoenix.SchemaFloorIT.code;
import static io.lampone.phoenix.SchemaFloorIT.index;
import static io.lampone.phoenix.SchemaFloorIT.requireIndexEqual;
import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.phoenix.SqlCluster.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients whose copy of the catalogue is older than an index ({@code UPDATE_CACHE_FREQUENCY}): a
 * write is refused, and not committed without its index rows.
 */
@ExtendWith(SqlCluster.class)
class OlderCopiesIT {

  /** How often a statement may fail before it is executed. */
  private static final int FAILURES = 2;

  private static final AtomicInteger TABLES = new AtomicInteger();

  private final Sql sql;

  OlderCopiesIT(Sql sql) {
    this.sql = sql;
  }

  /** What a client has heard of before it writes by its copy. */
  enum Client {
    AUTOCOMMIT_IDLE,
    AUTOCOMMIT_THAT_HAS_READ,
    AUTOCOMMIT_THAT_HAS_WRITTEN,
    EXPLICIT
  }

  @ParameterizedTest
  @EnumSource
  void aWriteByAnOlderCopyIsRefused_andThenWritesTheIndex(Client client) throws SQLException {
    List<String> statements =
        client == Client.EXPLICIT || client == Client.AUTOCOMMIT_THAT_HAS_WRITTEN
            ? List.of(
                "UPSERT INTO %s (id, a) VALUES (1, 'changed')",
                "DELETE FROM %s WHERE id = 2",
                "DELETE FROM %s WHERE b > 0",
                "UPSERT INTO %s SELECT id + 10, a, b FROM %1$s",
                "UPSERT INTO %s SELECT id, a, b FROM %2$s")
            : List.of("UPSERT INTO %s VALUES (10, 'new', 10)");
    try (Connection fresh = sql.connect(true);
        Connection older = client(client)) {
      String other = "OLDER_" + TABLES.incrementAndGet();
      create(fresh, other, "");
      for (String statement : statements) {
        String table = "OLDER_" + TABLES.incrementAndGet();
        create(fresh, table, "");
        query(older, "SELECT * FROM " + table);
        query(older, "SELECT * FROM " + other);
        end(older);
        index(fresh, table);
        hear(older, client, other);

        execute(older, String.format(statement, table, other));
        requireIndexEqual(fresh, table, table + "_X");
        execute(older, "UPSERT INTO " + table + " VALUES (30, 'later', 30)");
        requireIndexEqual(fresh, table, table + "_X");
        assertThat(query(fresh, "SELECT \"0:B\" FROM " + table + "_X WHERE \"0:A\" = 'later'"))
            .containsExactly("30");
      }
    }
  }

  /** Which index rows are deleted with the rows of an immutable table is decided before. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void deletesThatWereCompiledByAnOlderCopyAreRefused_alsoIfItWasRenewedMeanwhile(boolean both)
      throws SQLException {
    String name = "older" + TABLES.incrementAndGet();
    try (Connection fresh = sql.connect(true);
        Connection deleting = sql.connectAs(name, false, new Properties());
        Connection other = sql.connectAs(name, false, new Properties())) {
      String table = "OLDER_" + TABLES.incrementAndGet();
      create(fresh, table, ", IMMUTABLE_ROWS=true");
      query(deleting, "SELECT * FROM " + table);
      deleting.commit();
      index(fresh, table);
      update(deleting, "DELETE FROM " + table + " WHERE id = 1");
      execute(other, "UPSERT INTO " + table + " VALUES (10, 'other', 10)");

      if (both) {
        update(deleting, "DELETE FROM " + table + " WHERE id = 2"); // compiled by the new one
      }

      assertThatThrownBy(deleting::commit)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(523));

      requireIndexEqual(fresh, table, table + "_X");
      execute(deleting, "DELETE FROM " + table + " WHERE id = 1");
      requireIndexEqual(fresh, table, table + "_X");
      assertThat(query(fresh, "SELECT COUNT(*) FROM " + table)).containsExactly("3");
    }
  }

  /** The copy was renewed between the statement and the commit. */
  @ParameterizedTest
  @ValueSource(strings = {"WHERE id = 1", "WHERE b = 1"})
  void aDeleteThatKnowsAFormerIndexOfTheSameNameLeavesNoIndexRow(String where) throws SQLException {
    String name = "older" + TABLES.incrementAndGet();
    try (Connection fresh = sql.connect(true);
        Connection deleting = sql.connectAs(name, false, new Properties());
        Connection other = sql.connectAs(name, false, new Properties())) {
      String table = "OLDER_" + TABLES.incrementAndGet();
      create(fresh, table, ", IMMUTABLE_ROWS=true");
      update(fresh, "CREATE INDEX " + table + "_X ON " + table + " (b) INCLUDE (a)");
      query(deleting, "SELECT /*+ NO_INDEX */ * FROM " + table);
      deleting.commit();
      update(fresh, "DROP INDEX " + table + "_X ON " + table);
      index(fresh, table);
      update(deleting, "DELETE /*+ NO_INDEX */ FROM " + table + " " + where);
      execute(other, "UPSERT INTO " + table + " VALUES (10, 'other', 10)");

      deleting.commit();

      requireIndexEqual(fresh, table, table + "_X");
      assertThat(query(fresh, "SELECT COUNT(*) FROM " + table)).containsExactly("3");
    }
  }

  @Test
  void aDeleteOfAnImmutableTableDeletesRowsOfAnIndexOfItsKey() throws SQLException {
    try (Connection fresh = sql.connect(true)) {
      String table = "OLDER_" + TABLES.incrementAndGet();
      create(fresh, table, ", IMMUTABLE_ROWS=true");
      update(fresh, "CREATE INDEX " + table + "_X ON " + table + " (id DESC)");
      for (int id = 1; id < 100; id += 98) {
        update(fresh, "DELETE FROM " + table + " WHERE id = " + id);
      }
      assertThat(query(fresh, "SELECT \":ID\" FROM " + table + "_X")).containsExactly("2", "0");
    }
  }

  /** Phoenix would derive a second index row to delete: that of the other row. */
  @Test
  void aDeleteOfAnImmutableTableLeavesIndexRowsOfOtherRows() throws SQLException {
    try (Connection fresh = sql.connect(true)) {
      String table = "OLDER_" + TABLES.incrementAndGet();
      update(
          fresh,
          "CREATE TABLE "
              + table
              + " (id VARCHAR PRIMARY KEY, c CHAR(2) NOT NULL, n BIGINT) TRANSACTIONAL=true,"
              + " IMMUTABLE_ROWS=true");
      update(fresh, "CREATE INDEX " + table + "_X ON " + table + " (c) INCLUDE (n)");
      update(fresh, "UPSERT INTO " + table + " VALUES ('123', 'DE', 1)");
      update(fresh, "UPSERT INTO " + table + " VALUES ('DE123', 'FR', 2)");
      update(fresh, "DELETE FROM " + table + " WHERE id = 'DE123'");
      assertThat(query(fresh, "SELECT \":ID\" FROM " + table + "_X")).containsExactly("123");
    }
  }

  /** Indexes of views are in one table of HBase. Phoenix makes a second one for tenants only. */
  @Test
  void deletesByAnOlderCopyOfAViewAreRefused_alsoIfItKnewAnotherIndex() throws SQLException {
    String name = "older" + TABLES.incrementAndGet();
    try (Connection fresh = sql.connect(true);
        Connection deleting = sql.connectAs(name, false, new Properties());
        Connection other = sql.connectAs(name, false, new Properties())) {
      String table = "OLDER_" + TABLES.incrementAndGet();
      update(
          fresh,
          "CREATE TABLE "
              + table
              + " (tenant VARCHAR NOT NULL, id BIGINT NOT NULL, a VARCHAR, b BIGINT CONSTRAINT pk"
              + " PRIMARY KEY (tenant, id)) MULTI_TENANT=true, TRANSACTIONAL=true,"
              + " IMMUTABLE_ROWS=true, UPDATE_CACHE_FREQUENCY='NEVER'");
      String view = table + "_V";
      update(fresh, "CREATE VIEW " + view + " AS SELECT * FROM " + table);
      update(fresh, "CREATE INDEX " + view + "_X ON " + view + " (b) INCLUDE (a)");
      for (int id = 0; id < 3; id++) {
        update(fresh, "UPSERT INTO " + view + " VALUES ('x', " + id + ", 'first', " + id + ")");
      }
      query(deleting, "SELECT * FROM " + view);
      deleting.commit();
      update(fresh, "CREATE INDEX " + view + "_Y ON " + view + " (a) INCLUDE (b)");
      update(deleting, "DELETE FROM " + view + " WHERE id = 1");
      execute(other, "UPSERT INTO " + view + " VALUES ('x', 10, 'other', 10)");

      assertThatThrownBy(deleting::commit)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(code(e)).as("%s", e).isEqualTo(523));

      execute(deleting, "DELETE FROM " + view + " WHERE id = 1");
      assertThat(query(fresh, "SELECT id FROM " + view + " WHERE a = 'first'"))
          .containsExactlyInAnyOrder("0", "2");
    }
  }

  /**
   * With default settings Phoenix compiles a delete by its copy, and sends it by a newer one, which
   * it reads on commit; else another connection renews its copy in between.
   */
  @ParameterizedTest
  @CsvSource({
    "true, WHERE id = 1",
    "true, WHERE b > 0",
    "false, WHERE id = 1",
    "false, WHERE b > 0"
  })
  void aDeleteThatWasCompiledByAnOlderCopyDeletesTheNewIndexRows(boolean autocommit, String where)
      throws SQLException {
    String name = "older" + TABLES.incrementAndGet();
    try (Connection fresh = sql.connect(true);
        Connection deleting = sql.connectAs(name, autocommit, new Properties());
        Connection other = sql.connectAs(name, true, new Properties())) {
      for (boolean renewed : autocommit ? List.of(false) : List.of(false, true)) {
        String table = "OLDER_" + TABLES.incrementAndGet();
        create(fresh, table, renewed ? "" : ", UPDATE_CACHE_FREQUENCY='ALWAYS'");
        query(deleting, "SELECT * FROM " + table);
        end(deleting);
        index(fresh, table);
        update(deleting, "DELETE FROM " + table + " " + where);
        if (renewed) {
          execute(other, "UPSERT INTO " + table + " VALUES (10, 'other', 10)");
        }
        end(deleting);

        requireIndexEqual(fresh, table, table + "_X");
        assertThat(query(fresh, "SELECT id FROM " + table + " WHERE id < 3"))
            .hasSize(where.equals("WHERE id = 1") ? 2 : 1);
      }
    }
  }

  /** Its copy of the view inherits indexes from its copy of the table. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aWriteOfAViewByAnOlderCopyIsRefused(boolean ofTheView) throws SQLException {
    try (Connection fresh = sql.connect(true);
        Connection older = client(Client.AUTOCOMMIT_THAT_HAS_WRITTEN)) {
      String table = "OLDER_" + TABLES.incrementAndGet();
      String view = table + "_V";
      create(fresh, table, "");
      update(
          fresh,
          "CREATE VIEW " + view + " AS SELECT * FROM " + table + " UPDATE_CACHE_FREQUENCY='NEVER'");
      query(older, "SELECT * FROM " + view);
      String indexed = ofTheView ? view : table;
      index(fresh, indexed);
      create(older, table + "_OTHER", "");

      execute(older, "UPSERT INTO " + view + " VALUES (1, 'changed', 10)");
      execute(older, "DELETE FROM " + view + " WHERE id = 2");

      requireIndexEqual(fresh, indexed, indexed + "_X");
    }
  }

  /** Its first failure is due to the table that is gone, the second one renews its copy. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPSERT INTO %s VALUES (1, 'changed', 10)",
        "DELETE FROM %s WHERE id = 2",
        "DELETE FROM %s WHERE b > 0",
        "UPSERT INTO %s SELECT id + 10, a, b FROM %1$s"
      })
  void aWriteByACopyFromBeforeAnIndexWasDroppedSucceedsAfterTwoFailures(String statement)
      throws SQLException {
    try (Connection fresh = sql.connect(true);
        Connection older = client(Client.AUTOCOMMIT_IDLE)) {
      String table = "OLDER_" + TABLES.incrementAndGet();
      create(fresh, table, "");
      index(fresh, table);
      query(older, "SELECT /*+ NO_INDEX */ * FROM " + table);
      update(fresh, "DROP INDEX " + table + "_X ON " + table);
      int failures = 0;
      List<String> before = query(fresh, "SELECT * FROM " + table);
      while (query(fresh, "SELECT * FROM " + table).equals(before)) {
        try {
          update(older, String.format(statement, table));
        } catch (SQLException e) {
          if (code(e) != 523) {
            assertThat(e.getMessage()).contains(table + "_X");
          }
          assertThat(++failures).as(statement).isLessThanOrEqualTo(FAILURES);
        }
      }
    }
  }

  /** No client writes twice because its copy was renewed: a table without indexes has no floor. */
  @Test
  void aColumnThatWasAddedRefusesNothing() throws SQLException {
    try (Connection fresh = sql.connect(true);
        Connection older = client(Client.AUTOCOMMIT_THAT_HAS_WRITTEN)) {
      String table = "OLDER_" + TABLES.incrementAndGet();
      create(fresh, table, "");
      query(older, "SELECT * FROM " + table);
      update(fresh, "ALTER TABLE " + table + " ADD c BIGINT");
      update(older, "UPSERT INTO " + table + " (id, a, b) VALUES (1, 'changed', 10)");
      assertThat(query(fresh, "SELECT a, b, c FROM " + table + " WHERE id = 1"))
          .containsExactly("changed 10 null");
    }
  }

  /** They would go on without a look at the former index rows; a new index refuses them. */
  @Test
  void rowsOfATableWithAnIndexDoNotBecomeMutable() throws SQLException {
    try (Connection fresh = sql.connect(true);
        Connection older = client(Client.AUTOCOMMIT_THAT_HAS_WRITTEN)) {
      String table = "OLDER_" + TABLES.incrementAndGet();
      create(fresh, table, ", IMMUTABLE_ROWS=true, IMMUTABLE_STORAGE_SCHEME=ONE_CELL_PER_COLUMN");
      index(fresh, table);
      execute(older, "UPSERT INTO " + table + " VALUES (20, 'other', 20)");
      String alter = "ALTER TABLE " + table + " SET IMMUTABLE_ROWS=";

      assertThatThrownBy(() -> update(fresh, alter + "false"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("drop its indexes before");

      requireIndexEqual(fresh, table, table + "_X");
      update(fresh, "DROP INDEX " + table + "_X ON " + table);
      update(fresh, alter + "false");
      update(fresh, "CREATE INDEX " + table + "_Y ON " + table + " (a) INCLUDE (b)");
      execute(older, "UPSERT INTO " + table + " VALUES (1, 'changed', 10)");
      requireIndexEqual(fresh, table, table + "_Y");
      update(fresh, alter + "true");
    }
  }

  private Connection client(Client client) throws SQLException {
    return sql.connectAs(
        "older" + TABLES.incrementAndGet(), client != Client.EXPLICIT, new Properties());
  }

  private static void create(Connection connection, String table, String options)
      throws SQLException {
    update(
        connection,
        "CREATE TABLE "
            + table
            + " (id BIGINT NOT NULL PRIMARY KEY, a VARCHAR, b BIGINT) TRANSACTIONAL=true"
            + (options.contains("UPDATE_CACHE_FREQUENCY") ? "" : ", UPDATE_CACHE_FREQUENCY='NEVER'")
            + options);
    for (int id = 0; id < 3; id++) {
      update(connection, "UPSERT INTO " + table + " VALUES (" + id + ", 'first', " + id + ")");
    }
  }

  private static void hear(Connection older, Client client, String table) throws SQLException {
    if (client == Client.AUTOCOMMIT_THAT_HAS_READ) {
      query(older, "SELECT COUNT(*) FROM " + table);
    }
    if (client == Client.AUTOCOMMIT_THAT_HAS_WRITTEN) {
      update(older, "UPSERT INTO " + table + " SELECT id, a, b FROM " + table);
    }
  }

  /** Executes a statement, again if it is in conflict; other failures are not expected. */
  private static void execute(Connection connection, String statement) throws SQLException {
    for (int failures = 0; ; failures++) {
      try {
        update(connection, statement);
        end(connection);
        return;
      } catch (SQLException e) {
        assertThat(code(e)).as("%s", e).isEqualTo(523);
        assertThat(failures).as("failures of %s", statement).isLessThan(FAILURES);
        connection.rollback();
      }
    }
  }

  private static void end(Connection connection) throws SQLException {
    if (!connection.getAutoCommit()) {
      connection.commit();
    }
  }
}
