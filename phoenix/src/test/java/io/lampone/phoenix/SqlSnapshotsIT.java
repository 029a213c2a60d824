package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.phoenix.SqlCluster.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Properties;
import org.apache.phoenix.schema.MaxMutationSizeExceededException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the statements of one transaction see of each other, and of themselves. */
@ExtendWith(SqlCluster.class)
class SqlSnapshotsIT {

  private static final int MOST_CHECKPOINTS = 127;

  private final Sql sql;

  private String table;

  SqlSnapshotsIT(Sql sql) {
    this.sql = sql;
  }

  @BeforeEach
  void createTable(TestInfo test) throws SQLException {
    table = test.getTestMethod().orElseThrow().getName().toUpperCase(Locale.ROOT);
    try (Connection connection = sql.connect(true)) {
      update(
          connection,
          "CREATE TABLE "
              + table
              + " (id BIGINT NOT NULL PRIMARY KEY, kind VARCHAR, n BIGINT) TRANSACTIONAL=true");
      update(connection, "CREATE INDEX " + table + "_X ON " + table + " (kind) INCLUDE (n)");
      for (int id = 0; id < 4; id++) {
        update(connection, "UPSERT INTO " + table + " VALUES (" + id + ", 'k" + id % 2 + "', 1)");
      }
    }
  }

  private void requireIndexEqual(Connection connection, int rows) throws SQLException {
    assertThat(
            query(
                connection,
                "SELECT \":ID\", \"0:KIND\", \"0:N\" FROM " + table + "_X ORDER BY \":ID\""))
        .hasSize(rows)
        .isEqualTo(query(connection, "SELECT /*+ NO_INDEX */ * FROM " + table + " ORDER BY id"));
  }

  /** Rows that a statement writes ahead of where it reads are none of its own. */
  @Test
  void aStatementSeesTheOnesBeforeIt_andNotItself() throws SQLException {
    try (Connection connection = sql.connect(false)) {
      String more = "UPSERT INTO " + table + " SELECT id + %d, kind, n + 1 FROM " + table;
      assertThat(update(connection, String.format(more, 1))).isEqualTo(4);
      assertThat(query(connection, "SELECT id, n FROM " + table + " ORDER BY id"))
          .containsExactly("0 1", "1 2", "2 2", "3 2", "4 2");
      requireIndexEqual(connection, 5);
      assertThat(
              update(
                  connection,
                  "UPSERT INTO "
                      + table
                      + " (id, n) SELECT id, n * 10 FROM "
                      + table
                      + " WHERE kind = 'k0'"))
          .isEqualTo(3);
      update(connection, "UPSERT INTO " + table + " VALUES (9, 'k0', 0)");
      assertThat(update(connection, "DELETE FROM " + table + " WHERE kind = 'k0' AND n >= 10"))
          .isEqualTo(3);
      assertThat(query(connection, "SELECT id, kind, n FROM " + table + " ORDER BY id").toString())
          .isEqualTo("[2 k1 2, 4 k1 2, 9 k0 0]");
      requireIndexEqual(connection, 3);
      connection.commit();
      requireIndexEqual(connection, 3);
    }
  }

  /** The rows are read bit by bit, and the later statement has written before the last ones. */
  @Test
  void anOpenResultStaysWhatItWas() throws SQLException {
    try (Connection connection = sql.connect(false);
        Statement statement = connection.createStatement()) {
      statement.setFetchSize(1);
      try (ResultSet rows = statement.executeQuery("SELECT id FROM " + table + " ORDER BY id")) {
        assertThat(rows.next()).isTrue();
        update(connection, "UPSERT INTO " + table + " SELECT id + 100, kind, n FROM " + table);
        int seen = 1;
        while (rows.next()) {
          seen++;
        }
        assertThat(seen).isEqualTo(4);
      }
      assertThat(query(connection, "SELECT COUNT(*) FROM " + table)).containsExactly("8");
    }
  }

  @Test
  void aTransactionHas127Checkpoints_andOneMoreIsAClearFailure() throws SQLException {
    try (Connection connection = sql.connect(false)) {
      String again = "UPSERT INTO " + table + " SELECT id, kind, n + 1 FROM " + table;
      assertThatThrownBy(
              () -> {
                for (int i = 0; i <= MOST_CHECKPOINTS + 1; i++) {
                  update(connection, again);
                }
              })
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("too many savepoints")
          .hasMessageContaining("limit=" + MOST_CHECKPOINTS);
      long reached = Long.parseLong(query(connection, "SELECT MAX(n) FROM " + table).get(0));
      assertThat(reached).isGreaterThanOrEqualTo(MOST_CHECKPOINTS);
      connection.rollback();
      assertThat(query(connection, "SELECT MAX(n) FROM " + table)).containsExactly("1");
      update(connection, again);
      connection.commit();
      assertThat(query(connection, "SELECT MAX(n) FROM " + table)).containsExactly("2");
      requireIndexEqual(connection, 4);
    }
  }

  /** Phoenix forgets a transaction whose rows are too many, and ends it neither then nor later. */
  @Test
  void aTransactionThatPhoenixForgetsEndsBeforeTheNextOne() throws SQLException {
    Properties few = new Properties();
    few.setProperty("phoenix.mutate.maxSize", "3");
    try (Connection connection = sql.connectAs("forgetful", false, few)) {
      String upsert = "UPSERT INTO " + table + " VALUES (%d, 'k1', 7)";
      update(connection, String.format(upsert, 1));
      assertThat(query(connection, "SELECT SUM(n) FROM " + table)).containsExactly("10");
      for (int id = 3; id < 6; id++) {
        update(connection, String.format(upsert, id));
      }
      assertThatThrownBy(() -> update(connection, String.format(upsert, 6)))
          .isInstanceOf(MaxMutationSizeExceededException.class);
      connection.rollback();
      long before = rolledBack(connection);

      assertThat(query(connection, "SELECT SUM(n) FROM " + table)).containsExactly("4");
      assertThat(rolledBack(connection)).isEqualTo(before + 1);
    }
  }

  private static long rolledBack(Connection connection) throws SQLException {
    return LamponePhoenix.metrics(connection).transactions().getOrDefault("rolled-back", 0L);
  }
}
