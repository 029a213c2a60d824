package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.phoenix.SqlCluster.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Instant;
import java.util.Properties;
import org.apache.phoenix.exception.SQLExceptionCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The past by a property of the connection, and what is refused with it and beside it. */
@ExtendWith(SqlCluster.class)
class SqlPastIT {

  private static final String CREATE =
      "CREATE TABLE %s (id BIGINT NOT NULL PRIMARY KEY, a VARCHAR, n BIGINT) TRANSACTIONAL=true";

  private static final long TICKS_MILLIS = 1_000;

  private final Sql sql;

  SqlPastIT(Sql sql) {
    this.sql = sql;
  }

  private Connection connect(String name, String value) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty(name, value);
    return sql.connect(true, properties);
  }

  @Test
  void aConnectionReadsTheRowsOfItsTime_andCannotWrite() throws Exception {
    String before;
    try (Connection connection = sql.connect(true)) {
      update(connection, CREATE.formatted("past"));
      update(connection, "UPSERT INTO past VALUES (1, 'x', 10)");
      update(connection, "UPSERT INTO past VALUES (2, 'y', 20)");
      // Versions of the fast path may be some ticks behind the clock.
      Thread.sleep(TICKS_MILLIS);
      before = Instant.now().toString();
      Thread.sleep(TICKS_MILLIS);
      update(connection, "UPSERT INTO past VALUES (1, 'x', 11)");
      update(connection, "DELETE FROM past WHERE id = 2");
      update(connection, "UPSERT INTO past VALUES (3, 'z', 30)");
      assertThat(query(connection, "SELECT id, n FROM past ORDER BY id"))
          .containsExactly("1 11", "3 30");
    }
    try (Connection past = connect("LamponeAsOf", before)) {
      assertThat(query(past, "SELECT id, n FROM past ORDER BY id")).containsExactly("1 10", "2 20");
      assertThat(query(past, "SELECT n FROM past WHERE id = 1")).containsExactly("10");
      assertThat(query(past, "SELECT COUNT(*), SUM(n) FROM past")).containsExactly("2 30");
      assertThatThrownBy(() -> update(past, "UPSERT INTO past VALUES (4, 'w', 40)"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("read-only");
    }
    try (Connection connection = sql.connect(true)) {
      assertThat(query(connection, "SELECT COUNT(*) FROM past")).containsExactly("2");
      update(connection, "CREATE INDEX past_a ON past (a) INCLUDE (n)");
    }
    anIndexThatIsNewerIsNotReadAsIfItWereEmpty(before);
  }

  private void anIndexThatIsNewerIsNotReadAsIfItWereEmpty(String before) throws SQLException {
    try (Connection past = connect("LamponeAsOf", before)) {
      assertThat(query(past, "SELECT /*+ NO_INDEX */ n FROM past WHERE a = 'y'"))
          .containsExactly("20");
      try {
        assertThat(query(past, "SELECT n FROM past WHERE a = 'y'")).containsExactly("20");
      } catch (SQLException refused) {
        assertThat(refused.getMessage()).contains("PAST_A");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"yesterday", "2999-01-01T00:00:00Z", "1970-01-01T00:00:01Z"})
  void badTimesAreToldAtTheFirstStatement(String time) throws SQLException {
    String table = "bad_" + Math.abs(time.hashCode());
    try (Connection connection = sql.connect(true)) {
      update(connection, CREATE.formatted(table));
    }
    try (Connection past = connect("LamponeAsOf", time)) {
      assertThatThrownBy(() -> query(past, "SELECT * FROM " + table))
          .isInstanceOfSatisfying(
              SQLException.class,
              e ->
                  assertThat(e.getErrorCode())
                      .as(e.getMessage())
                      .isEqualTo(SQLExceptionCode.TRANSACTION_FAILED.getErrorCode()))
          .hasMessageContaining("LP-");
    }
  }

  @Test
  void scnIsRefusedByPhoenix() throws SQLException {
    try (Connection connection = sql.connect(true)) {
      update(connection, CREATE.formatted("of_scn"));
    }
    try (Connection past = connect("CurrentSCN", Long.toString(Instant.now().toEpochMilli()))) {
      assertThatThrownBy(() -> query(past, "SELECT * FROM of_scn"))
          .isInstanceOfSatisfying(
              SQLException.class,
              e ->
                  assertThat(e.getErrorCode())
                      .as(e.getMessage())
                      .isEqualTo(
                          SQLExceptionCode.CANNOT_START_TRANSACTION_WITH_SCN_SET.getErrorCode()));
    }
  }

  @Test
  void serializableIsRefused_notWeakened() throws SQLException {
    try (Connection connection = sql.connect(false)) {
      update(connection, CREATE.formatted("of_serializable"));
      assertThatThrownBy(
              () -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE))
          .isInstanceOf(SQLFeatureNotSupportedException.class);
    }
    try (Connection strict = connect("lampone.client.isolation", "SERIALIZABLE")) {
      assertThatThrownBy(() -> query(strict, "SELECT * FROM of_serializable"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("lampone.client.isolation is SERIALIZABLE");
    }
    try (Connection snapshot = connect("lampone.client.isolation", "SNAPSHOT")) {
      assertThat(query(snapshot, "SELECT * FROM of_serializable")).isEmpty();
    }
  }
}
