package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.phoenix.SqlCluster.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Many rows into a table of immutable rows: Phoenix with Omid keeps 50 of 250, without an error.
 */
@ExtendWith(SqlCluster.class)
class ImmutableUpsertSelectIT {

  private static final int ROWS = 250;

  private final Sql sql;

  ImmutableUpsertSelectIT(Sql sql) {
    this.sql = sql;
  }

  @ParameterizedTest
  @CsvSource({"true, false", "false, false", "true, true", "false, true"})
  void everyRowArrives(boolean autoCommit, boolean indexed) throws SQLException {
    String source = "UPSERT_FROM_" + autoCommit + "_" + indexed;
    String target = "UPSERT_INTO_" + autoCommit + "_" + indexed;
    try (Connection connection = sql.connect(false)) {
      String columns = " (id BIGINT NOT NULL PRIMARY KEY, kind BIGINT) TRANSACTIONAL=true";
      update(connection, "CREATE TABLE " + source + columns);
      update(connection, "CREATE TABLE " + target + columns + ", IMMUTABLE_ROWS=true");
      if (indexed) {
        update(connection, "CREATE INDEX " + target + "_X ON " + target + " (kind)");
      }
      for (int id = 0; id < ROWS; id++) {
        update(connection, "UPSERT INTO " + source + " VALUES (" + id + ", " + id % 7 + ")");
      }
      connection.commit();
      connection.setAutoCommit(autoCommit);
      assertThat(update(connection, "UPSERT INTO " + target + " SELECT * FROM " + source))
          .isEqualTo(ROWS);
      if (!autoCommit) {
        connection.commit();
      }
      String all = ROWS + " " + ROWS + " 249";
      assertThat(
              query(
                  connection,
                  "SELECT /*+ NO_INDEX */ COUNT(*), COUNT(DISTINCT id), MAX(id) FROM " + target))
          .containsExactly(all);
      if (indexed) {
        assertThat(
                query(
                    connection,
                    "SELECT COUNT(*), COUNT(DISTINCT \":ID\"), MAX(\":ID\") FROM " + target + "_X"))
            .containsExactly(all);
      }
    }
  }
}
