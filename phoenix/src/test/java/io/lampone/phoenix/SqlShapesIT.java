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
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Joins, views, tenants, salted tables, and DDL that would break a transactional table. */
@ExtendWith(SqlCluster.class)
class SqlShapesIT {

  private final Sql sql;

  SqlShapesIT(Sql sql) {
    this.sql = sql;
  }

  @Test
  void joinsReadOneSnapshotAndOwnWrites() throws SQLException {
    try (Connection connection = sql.connect(false);
        Connection other = sql.connect(true)) {
      update(
          connection,
          "CREATE TABLE J_ORDERS (id BIGINT NOT NULL PRIMARY KEY, item BIGINT) TRANSACTIONAL=true");
      update(
          connection,
          "CREATE TABLE J_ITEMS (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR)"
              + " TRANSACTIONAL=true, SALT_BUCKETS=3");
      update(connection, "UPSERT INTO J_ITEMS VALUES (1, 'pen')");
      update(connection, "UPSERT INTO J_ORDERS VALUES (10, 1)");
      connection.commit();
      update(connection, "UPSERT INTO J_ORDERS VALUES (11, 2)");
      update(connection, "UPSERT INTO J_ITEMS VALUES (2, 'ink')");
      update(other, "UPSERT INTO J_ORDERS VALUES (12, 1)");
      for (String hint : List.of("", "/*+ USE_SORT_MERGE_JOIN */")) {
        String join =
            "SELECT " + hint + " o.id, i.name FROM J_ORDERS o %s J_ITEMS i ON o.item = i.id";
        assertThat(query(connection, String.format(join, "JOIN") + " ORDER BY o.id"))
            .as(hint)
            .containsExactly("10 pen", "11 ink");
        assertThat(query(other, String.format(join, "LEFT JOIN") + " ORDER BY o.id"))
            .as(hint)
            .containsExactly("10 pen", "12 pen");
      }
      assertThat(
              query(
                  connection,
                  "SELECT id FROM J_ORDERS WHERE item IN (SELECT id FROM J_ITEMS WHERE name ="
                      + " 'ink')"))
          .containsExactly("11");
      connection.commit();
      assertThat(query(other, "SELECT COUNT(*) FROM J_ORDERS")).containsExactly("3");
    }
  }

  /** Unlike with Omid, new tables have encoded columns by default, as Phoenix's others have. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ", COLUMN_ENCODED_BYTES=0",
        ", COLUMN_ENCODED_BYTES=1",
        ", COLUMN_ENCODED_BYTES=3, SALT_BUCKETS=3",
        ", COLUMN_ENCODED_BYTES=4",
        ", IMMUTABLE_ROWS=true",
        ", IMMUTABLE_ROWS=true, IMMUTABLE_STORAGE_SCHEME=ONE_CELL_PER_COLUMN"
      })
  void columnsAreEncodedAsInOtherTables(String options) throws SQLException {
    try (Connection connection = sql.connect(false);
        Connection other = sql.connect(true)) {
      update(
          connection,
          "CREATE TABLE ENCODED (id BIGINT NOT NULL PRIMARY KEY, a VARCHAR, x.b BIGINT)"
              + " TRANSACTIONAL=true"
              + options);
      update(connection, "CREATE INDEX ENCODED_A ON ENCODED (a) INCLUDE (x.b)");
      for (int id = 0; id < 20; id++) {
        update(
            connection, "UPSERT INTO ENCODED VALUES (" + id + ", 'k" + id % 4 + "', " + id + ")");
      }
      assertThat(query(connection, "SELECT COUNT(*), SUM(b) FROM ENCODED WHERE a = 'k1'"))
          .containsExactly("5 45");
      assertThat(query(other, "SELECT COUNT(*) FROM ENCODED")).containsExactly("0");
      connection.commit();
      update(connection, "ALTER TABLE ENCODED ADD c BIGINT");
      update(connection, "UPSERT INTO ENCODED VALUES (100, 'k1', 5, 7)");
      update(connection, "DELETE FROM ENCODED WHERE id = 1");
      assertThat(query(connection, "SELECT /*+ NO_INDEX */ SUM(b), SUM(c) FROM ENCODED"))
          .containsExactly("194 7");
      assertThat(query(other, "SELECT SUM(b) FROM ENCODED WHERE a = 'k1'")).containsExactly("45");
      connection.commit();
      update(other, "UPSERT INTO ENCODED VALUES (2, 'k1', 2, 1)"); // on the fast path if no index
      assertThat(query(other, "SELECT b, c FROM ENCODED WHERE id = 2")).containsExactly("2 1");
      assertThat(query(other, "SELECT COUNT(*), SUM(b) FROM ENCODED WHERE a = 'k1'"))
          .containsExactly("6 51");
      update(connection, "DROP TABLE ENCODED");
    }
  }

  /** Phoenix looks for the former rows of indexes by the empty column that these would have. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        ", COLUMN_ENCODED_BYTES=0 / COLUMN_ENCODED_BYTES=2",
        " / COLUMN_ENCODED_BYTES=0",
        " / "
      })
  void anIndexMayHaveAnotherEncodingThanItsTable(String options) throws SQLException {
    String[] ofTableAndIndex = options.split(" / ", -1);
    try (Connection connection = sql.connect(false)) {
      update(
          connection,
          "CREATE TABLE MIXED (id BIGINT NOT NULL PRIMARY KEY, a VARCHAR, b BIGINT)"
              + " TRANSACTIONAL=true"
              + ofTableAndIndex[0]);
      update(connection, "CREATE INDEX MIXED_A ON MIXED (a) INCLUDE (b) " + ofTableAndIndex[1]);
      update(connection, "UPSERT INTO MIXED (id) VALUES (1)");
      update(connection, "UPSERT INTO MIXED (id) VALUES (2)");
      connection.commit();
      update(connection, "UPSERT INTO MIXED VALUES (1, 'k', 5)");
      connection.commit();
      update(connection, "DELETE FROM MIXED WHERE id = 2");
      connection.commit();
      assertThat(query(connection, "SELECT a, b FROM MIXED WHERE a IS NULL")).isEmpty();
      assertThat(query(connection, "SELECT a, b FROM MIXED WHERE a = 'k'")).containsExactly("k 5");
      update(connection, "DROP TABLE MIXED");
    }
  }

  @Test
  void viewsAndTheirIndexesAreOneTransactionWithTheirTable() throws SQLException {
    try (Connection connection = sql.connect(false)) {
      update(
          connection,
          "CREATE TABLE V_EVENTS (kind VARCHAR NOT NULL, id BIGINT NOT NULL, n BIGINT CONSTRAINT"
              + " pk PRIMARY KEY (kind, id)) TRANSACTIONAL=true");
      update(
          connection,
          "CREATE VIEW V_CLICKS (page VARCHAR) AS SELECT * FROM V_EVENTS WHERE kind = 'click'");
      update(connection, "CREATE INDEX V_BY_PAGE ON V_CLICKS (page) INCLUDE (n)");
      update(connection, "UPSERT INTO V_CLICKS (id, n, page) VALUES (1, 10, 'home')");
      update(connection, "UPSERT INTO V_EVENTS VALUES ('view', 1, 5)");
      // Phoenix sends what was written by the name that it reads.
      assertThat(query(connection, "SELECT COUNT(*) FROM V_EVENTS")).containsExactly("1");
      String byPage = "SELECT id, n FROM V_CLICKS WHERE page = 'home'";
      assertThat(query(connection, "EXPLAIN " + byPage).toString()).contains("V_EVENTS");
      assertThat(query(connection, byPage)).containsExactly("1 10");
      connection.rollback();
      assertThat(query(connection, byPage)).isEmpty();
      assertThat(query(connection, "SELECT COUNT(*) FROM V_EVENTS")).containsExactly("0");
      update(connection, "UPSERT INTO V_CLICKS (id, n, page) VALUES (1, 10, 'home')");
      connection.commit();
      update(connection, "UPSERT INTO V_CLICKS (id, page) VALUES (1, 'away')");
      connection.commit();
      assertThat(query(connection, byPage)).isEmpty();
      assertThat(query(connection, "SELECT id, n FROM V_CLICKS WHERE page = 'away'"))
          .containsExactly("1 10");
    }
  }

  @Test
  void aTenantSeesItsOwnRows() throws SQLException {
    try (Connection owner = sql.connect(false)) {
      update(
          owner,
          "CREATE TABLE T_SHARED (tenant VARCHAR NOT NULL, id BIGINT NOT NULL, n BIGINT CONSTRAINT"
              + " pk PRIMARY KEY (tenant, id)) MULTI_TENANT=true, TRANSACTIONAL=true");
      for (String name : List.of("a", "b")) {
        Properties tenant = new Properties();
        tenant.setProperty("TenantId", name);
        try (Connection connection = sql.connect(false, tenant)) {
          update(connection, "CREATE VIEW T_MINE AS SELECT * FROM T_SHARED");
          update(connection, "CREATE INDEX T_MINE_X ON T_MINE (n)");
          update(connection, "UPSERT INTO T_MINE (id, n) VALUES (1, 7)");
          assertThat(query(connection, "SELECT id, n FROM T_MINE")).containsExactly("1 7");
          assertThat(query(connection, "SELECT id FROM T_MINE WHERE n = 7")).containsExactly("1");
          connection.commit();
        }
      }
      assertThat(query(owner, "SELECT tenant, id FROM T_SHARED")).containsExactly("a 1", "b 1");
      update(owner, "DELETE FROM T_SHARED WHERE tenant = 'a'");
      owner.commit();
      assertThat(query(owner, "SELECT tenant, id FROM T_SHARED")).containsExactly("b 1");
      Properties tenant = new Properties();
      tenant.setProperty("TenantId", "a");
      try (Connection connection = sql.connect(true, tenant)) {
        assertThat(query(connection, "SELECT /*+ NO_INDEX */ id FROM T_MINE")).isEmpty();
        // Phoenix maintains indexes of a view only if the view is written.
        assertThat(query(connection, "SELECT id FROM T_MINE WHERE n = 7")).containsExactly("1");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"REPLICATION_SCOPE=1", "REGION_REPLICATION=2"})
  void whatWouldBreakATableIsRefused_whenItIsMadeAndLater(String setting) throws SQLException {
    String name = "BROKEN_" + setting.replaceAll("=.*", "");
    String table = " (id BIGINT NOT NULL PRIMARY KEY, n BIGINT) TRANSACTIONAL=true";
    try (Connection connection = sql.connect(true)) {
      assertThatThrownBy(() -> update(connection, "CREATE TABLE " + name + table + ", " + setting))
          .isInstanceOf(SQLException.class)
          .hasMessageMatching("(?s).*(replicated|region replicas).*");
      update(connection, "CREATE TABLE " + name + "_2" + table);
      assertThatThrownBy(() -> update(connection, "ALTER TABLE " + name + "_2 SET " + setting))
          .isInstanceOf(SQLException.class)
          .hasMessageMatching("(?s).*(replicated|region replicas).*");
      update(connection, "UPSERT INTO " + name + "_2 VALUES (1, 1)");
      assertThat(query(connection, "SELECT n FROM " + name + "_2")).containsExactly("1");
    }
  }

  /** SQL has no word for it, HBase's shell has. */
  @Test
  void aMobFamilyIsRefused_whoeverAsksForIt() throws Exception {
    try (Connection connection = sql.connect(true);
        var hbase = ConnectionFactory.createConnection(sql.cluster().configuration());
        Admin admin = hbase.getAdmin()) {
      update(
          connection,
          "CREATE TABLE MOB_TABLE (id BIGINT NOT NULL PRIMARY KEY, n BIGINT) TRANSACTIONAL=true");
      TableDescriptor table = admin.getDescriptor(TableName.valueOf("MOB_TABLE"));
      ColumnFamilyDescriptorBuilder family =
          ColumnFamilyDescriptorBuilder.newBuilder(table.getColumnFamilies()[0]);
      assertThatThrownBy(
              () ->
                  admin.modifyColumnFamily(
                      table.getTableName(), family.setMobEnabled(true).build()))
          .hasMessageContaining("MOB family");
      assertThat(admin.getDescriptor(table.getTableName())).isEqualTo(table);
    }
  }
}
