package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.phoenix.SqlCluster.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each kind of scan over rows in which another transaction has undecided writes. */
@ExtendWith(SqlCluster.class)
class UndecidedScansIT {

  static final String T = "UNDECIDED";
  private static final String BEFORE = "10 45 0 9";

  private final Sql sql;
  private Connection writer;
  private Connection reader;

  UndecidedScansIT(Sql sql) {
    this.sql = sql;
  }

  @BeforeEach
  void leaveWritesUndecided() throws SQLException {
    writer = sql.connect(false);
    reader = sql.connect(false);
    create(writer, T + " (id BIGINT NOT NULL PRIMARY KEY, kind VARCHAR, amount BIGINT)");
    update(writer, "CREATE INDEX " + T + "_X ON " + T + " (kind) INCLUDE (amount)");
    for (int id = 0; id < 10; id++) {
      update(writer, "UPSERT INTO " + T + " VALUES (" + id + ", 'k" + id % 2 + "', " + id + ")");
    }
    writer.commit();
  }

  void create(Connection connection, String table) throws SQLException {
    update(connection, "CREATE TABLE " + table + " TRANSACTIONAL=true");
  }

  @AfterEach
  void drop() throws SQLException {
    writer.rollback();
    writer.close();
    reader.rollback();
    update(reader, "DROP TABLE " + T);
    reader.close();
  }

  /** A row that is changed, one that is new before, between or behind, and one that is deleted. */
  private void write(int changed, int added, int deleted) throws SQLException {
    update(writer, "UPSERT INTO " + T + " VALUES (" + changed + ", 'k0', 1000)");
    update(writer, "UPSERT INTO " + T + " VALUES (" + added + ", 'k1', 1000)");
    update(writer, "DELETE FROM " + T + " WHERE id = " + deleted);
    // Reading sends them, as intents.
    assertThat(query(writer, "SELECT /*+ NO_INDEX */ COUNT(*) FROM " + T)).containsExactly("10");
    assertThat(query(writer, "SELECT COUNT(*) FROM " + T + " WHERE kind >= 'k0'"))
        .containsExactly("10");
  }

  @ParameterizedTest
  @CsvSource({"0, -1, 5", "4, 100, 0", "9, 100, 3"})
  void everyKindOfScanIsRight(int changed, int added, int deleted) throws SQLException {
    write(changed, added, deleted);
    assertScans();
    writer.commit();
    assertScans(); // in its snapshot
    reader.commit();
    assertThat(query(reader, "SELECT COUNT(*), MAX(amount) FROM " + T)).containsExactly("10 1000");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 9})
  void soItIsWhenTheWriterGivesUp(int changed) throws SQLException {
    write(changed, 100, 5);
    writer.rollback();
    assertScans();
  }

  /** In pages of one row, the servers answer while they skip rows, too. */
  @Test
  void anOffsetSkipsItsRowsOnce() throws SQLException {
    Properties paged = new Properties();
    paged.setProperty("phoenix.server.page.size.ms", "0");
    write(2, 100, 4);
    try (Connection pages = sql.connectAs(getClass().getSimpleName(), false, paged);
        Statement statement = pages.createStatement()) {
      statement.setFetchSize(1);
      String text = "SELECT /*+ NO_INDEX */ id FROM " + T + " WHERE id >= 0 LIMIT 3 OFFSET 5";
      List<Long> ids = new ArrayList<>();
      try (ResultSet found = statement.executeQuery(text)) {
        while (found.next()) {
          ids.add(found.getLong(1));
        }
      }
      pages.rollback();
      assertThat(ids).containsExactly(5L, 6L, 7L);
    }
  }

  private void assertScans() throws SQLException {
    String from = " FROM " + T;
    String table = "SELECT /*+ NO_INDEX */ ";
    assertQuery(table + "COUNT(*), SUM(amount), MIN(id), MAX(id)" + from, BEFORE);
    assertQuery(
        table + "kind, COUNT(*), SUM(amount)" + from + " GROUP BY kind ORDER BY kind",
        "k0 5 20",
        "k1 5 25");
    assertQuery(table + "id, COUNT(*)" + from + " GROUP BY id ORDER BY id LIMIT 2", "0 1", "1 1");
    assertQuery(table + "id" + from + " ORDER BY amount DESC LIMIT 3", "9", "8", "7");
    assertQuery(table + "id" + from + " ORDER BY id DESC LIMIT 3", "9", "8", "7");
    assertQuery(table + "amount" + from + " WHERE id = 0", "0");
    assertQuery(table + "amount" + from + " WHERE id IN (0, 4, 5, 9, 100)", "0", "4", "5", "9");
    assertQuery(table + "id" + from + " WHERE id >= 3 AND id < 6", "3", "4", "5");
    assertQuery(table + "id" + from + " WHERE amount > 6", "7", "8", "9");
    assertQuery(
        table + "a.id, b.id FROM " + T + " a JOIN " + T + " b ON a.amount = b.amount + 8",
        "8 0",
        "9 1");
    assertQuery("SELECT kind, amount" + from + " WHERE kind = 'k1' AND amount > 5", "k1 7", "k1 9");
    assertQuery(
        "SELECT kind, SUM(amount)" + from + " WHERE kind >= 'k0' GROUP BY kind ORDER BY kind",
        "k0 20",
        "k1 25");
    assertQuery(table + "DISTINCT kind" + from + " ORDER BY kind", "k0", "k1");
  }

  private void assertQuery(String text, String... rows) throws SQLException {
    assertThat(query(reader, text)).as(text).isEqualTo(List.of(rows));
  }
}
