package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.phoenix.SqlCluster.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Properties;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

/** What every user of Phoenix does, on unmodified Phoenix. */
@ExtendWith(SqlCluster.class)
class SqlBasicsIT {

  private final Sql sql;

  private String table;

  SqlBasicsIT(Sql sql) {
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
              + " (id BIGINT NOT NULL PRIMARY KEY, owner VARCHAR, balance BIGINT)"
              + " TRANSACTIONAL=true");
    }
  }

  private void fill(Connection connection, int rows) throws SQLException {
    for (int id = 0; id < rows; id++) {
      update(
          connection,
          "UPSERT INTO " + table + " VALUES (" + id + ", 'o" + id % 3 + "', " + 10 * id + ")");
    }
  }

  @Test
  void theTableIsOneOfLamponesAndSaysSo() throws Exception {
    assertThat(LamponePhoenix.isInstalled()).isTrue();
    TableName name = TableName.valueOf(table);
    try (var hbase = ConnectionFactory.createConnection(sql.cluster().configuration());
        var admin = hbase.getAdmin();
        Table plain = hbase.getTable(name)) {
      TableDescriptor descriptor = admin.getDescriptor(name);
      TableSettings settings = TableSettings.of(descriptor).orElseThrow();
      assertThat(settings.phase()).isEqualTo(TableSettings.Phase.ENABLED);
      assertThat(settings.plainClients()).isEqualTo(PlainClients.PHOENIX);
      assertThat(descriptor.getCoprocessorDescriptors()).anyMatch(TableSettings::isObserver);
      assertThatThrownBy(
              () ->
                  plain.put(
                      new Put(Bytes.toBytes("r"))
                          .addColumn(Bytes.toBytes("0"), Bytes.toBytes("q"), new byte[1])))
          .hasMessageContaining("PLAIN_CLIENT");
    }
  }

  @Test
  void aTransactionReadsItsOwnWrites_andOthersDoNotUntilTheCommit() throws SQLException {
    try (Connection writer = sql.connect(false);
        Connection reader = sql.connect(true)) {
      fill(writer, 4);
      update(writer, "DELETE FROM " + table + " WHERE id = 2");
      assertThat(query(writer, "SELECT id, balance FROM " + table + " ORDER BY id"))
          .containsExactly("0 0", "1 10", "3 30");
      assertThat(query(reader, "SELECT * FROM " + table)).isEmpty();
      writer.commit();
      assertThat(query(reader, "SELECT COUNT(*), SUM(balance) FROM " + table))
          .containsExactly("3 40");
      update(writer, "UPSERT INTO " + table + " VALUES (9, 'x', 9)");
      assertThat(query(writer, "SELECT COUNT(*) FROM " + table)).containsExactly("4");
      writer.rollback();
      assertThat(query(writer, "SELECT COUNT(*) FROM " + table)).containsExactly("3");
    }
  }

  @Test
  void theSecondToCommitTheSameRowGets523() throws SQLException {
    try (Connection first = sql.connect(false);
        Connection second = sql.connect(false)) {
      fill(first, 1);
      first.commit();
      update(first, "UPSERT INTO " + table + " (id, balance) VALUES (0, 1)");
      assertThat(query(second, "SELECT balance FROM " + table)).containsExactly("0");
      update(second, "UPSERT INTO " + table + " (id, balance) VALUES (0, 2)");
      first.commit();
      assertThatThrownBy(second::commit)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(523))
          .hasMessageContaining("LP-101");
      second.rollback();
      assertThat(query(second, "SELECT balance FROM " + table)).containsExactly("1");
    }
  }

  @Test
  void anIndexIsKeptWithItsTable_alsoOneMadeOverRows() throws SQLException {
    try (Connection connection = sql.connect(false)) {
      fill(connection, 6);
      connection.commit();
      update(connection, "CREATE INDEX " + table + "_X ON " + table + " (owner) INCLUDE (balance)");
      update(connection, "UPSERT INTO " + table + " VALUES (0, 'new', 7)");
      update(connection, "DELETE FROM " + table + " WHERE id = 1");
      String byOwner = "SELECT owner, balance FROM " + table + " WHERE owner = ";
      assertThat(query(connection, "EXPLAIN " + byOwner + "'new'").toString())
          .contains(table + "_X");
      assertThat(query(connection, byOwner + "'new'")).containsExactly("new 7");
      connection.commit();
      assertThat(query(connection, byOwner + "'o0'")).containsExactly("o0 30");
      assertThat(query(connection, byOwner + "'o1'")).containsExactly("o1 40");
      String sums = "SELECT COUNT(*), SUM(balance) FROM " + table;
      assertThat(query(connection, "SELECT COUNT(*), SUM(\"0:BALANCE\") FROM " + table + "_X"))
          .isEqualTo(query(connection, "SELECT /*+ NO_INDEX */" + sums.substring(6)));
    }
  }

  /** It would lack the index, silently. */
  @Test
  void whoBeganBeforeAnIndexWasMadeDoesNotCommitAfterIt() throws SQLException {
    try (Connection before = sql.connect(false);
        Connection ddl = sql.connect(true)) {
      fill(before, 1);
      assertThat(query(before, "SELECT COUNT(*) FROM " + table)).containsExactly("1");
      update(ddl, "CREATE INDEX " + table + "_X ON " + table + " (owner)");
      assertThatThrownBy(before::commit)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(523));
    }
  }

  @Test
  void aStatementThatReadsWhatItWritesEnds() throws SQLException {
    try (Connection connection = sql.connect(false)) {
      fill(connection, 4);
      String copy = "UPSERT INTO " + table + " SELECT id + %d, owner, balance FROM " + table;
      assertThat(update(connection, String.format(copy, 10))).isEqualTo(4);
      assertThat(update(connection, String.format(copy, 100))).isEqualTo(8);
      assertThat(query(connection, "SELECT COUNT(*), MAX(id) FROM " + table))
          .containsExactly("16 113");
      connection.commit();
      assertThat(query(connection, "SELECT COUNT(*) FROM " + table)).containsExactly("16");
    }
  }

  @Test
  void groupsOrdersAndJoins() throws SQLException {
    try (Connection connection = sql.connect(false)) {
      fill(connection, 6);
      assertThat(
              query(
                  connection,
                  "SELECT owner, COUNT(*), SUM(balance) FROM "
                      + table
                      + " GROUP BY owner ORDER BY owner"))
          .containsExactly("o0 2 30", "o1 2 50", "o2 2 70");
      assertThat(query(connection, "SELECT id FROM " + table + " ORDER BY balance DESC LIMIT 2"))
          .containsExactly("5", "4");
      assertThat(
              query(
                  connection,
                  "SELECT a.id, b.id FROM "
                      + table
                      + " a JOIN "
                      + table
                      + " b ON a.balance = b.balance + 40 ORDER BY a.id"))
          .containsExactly("4 0", "5 1");
    }
  }

  /** Phoenix with Omid loses rows here, without an error. */
  @Test
  void manyRowsGoIntoAnImmutableTable() throws SQLException {
    try (Connection connection = sql.connect(true)) {
      update(
          connection,
          "CREATE TABLE "
              + table
              + "_I (id BIGINT NOT NULL PRIMARY KEY, balance BIGINT)"
              + " TRANSACTIONAL=true, IMMUTABLE_ROWS=true");
      connection.setAutoCommit(false);
      fill(connection, 250);
      connection.commit();
      assertThat(update(connection, "UPSERT INTO " + table + "_I SELECT id, balance FROM " + table))
          .isEqualTo(250);
      connection.commit();
      assertThat(query(connection, "SELECT COUNT(*), MAX(id) FROM " + table + "_I"))
          .containsExactly("250 249");
    }
  }

  /** Each row is a page of its own: the scan begins anew at every one. */
  @Test
  void scansInPages() throws SQLException {
    Properties paging = new Properties();
    paging.setProperty("phoenix.server.page.size.ms", "0");
    try (Connection connection = sql.connect(false);
        Connection paged = sql.connect(true, paging)) {
      fill(connection, 20);
      connection.commit();
      String where = " FROM " + table + " WHERE balance >= 50";
      assertThat(query(paged, "SELECT COUNT(*)" + where)).containsExactly("15");
      assertThat(query(paged, "SELECT id" + where)).hasSize(15);
      assertThat(query(paged, "SELECT id" + where + " ORDER BY id DESC"))
          .hasSize(15)
          .startsWith("19");
      assertThat(query(paged, "SELECT owner, COUNT(*)" + where + " GROUP BY owner")).hasSize(3);
    }
  }

  @Test
  void columnsFamiliesViewsAndTablesComeAndGo() throws SQLException {
    try (Connection connection = sql.connect(true)) {
      fill(connection, 3);
      update(connection, "ALTER TABLE " + table + " ADD extra.note VARCHAR");
      update(connection, "UPSERT INTO " + table + " (id, note) VALUES (1, 'noted')");
      assertThat(query(connection, "SELECT id, note, balance FROM " + table + " WHERE id = 1"))
          .containsExactly("1 noted 10");
      update(connection, "ALTER TABLE " + table + " DROP COLUMN owner");
      update(
          connection,
          "CREATE VIEW " + table + "_V AS SELECT * FROM " + table + " WHERE note = 'v'");
      update(connection, "UPSERT INTO " + table + "_V (id, balance) VALUES (5, 50)");
      assertThat(query(connection, "SELECT COUNT(*) FROM " + table + "_V")).containsExactly("1");
      update(connection, "UPDATE STATISTICS " + table);
      update(connection, "DELETE FROM " + table);
      assertThat(query(connection, "SELECT COUNT(*) FROM " + table)).containsExactly("0");
      update(connection, "DROP VIEW " + table + "_V");
      update(connection, "DROP TABLE " + table);
    }
  }

  @Test
  void aLocalIndexIsRefused() throws SQLException {
    try (Connection connection = sql.connect(true)) {
      assertThatThrownBy(
              () ->
                  update(connection, "CREATE LOCAL INDEX " + table + "_L ON " + table + " (owner)"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("10948");
    }
  }
}
