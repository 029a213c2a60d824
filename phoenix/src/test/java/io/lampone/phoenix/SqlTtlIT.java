package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeClient;
import io.lampone.coprocessor.core.RegionServerSettings;
import io.lampone.hbase.TableRetention;
import io.lampone.protocol.Bytes;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** TTL of transactional tables of Phoenix, which the master's administrator allows. */
@ExtendWith(SqlCluster.class)
@Timeout(600)
class SqlTtlIT {

  private static final String CREATE =
      "CREATE TABLE %s (id BIGINT NOT NULL PRIMARY KEY, a VARCHAR) TRANSACTIONAL=true";

  private final SqlCluster.Sql sql;

  SqlTtlIT(SqlCluster.Sql sql) {
    this.sql = sql;
  }

  private void allow(boolean allowed) {
    sql.cluster()
        .hbase()
        .master()
        .getConfiguration()
        .setBoolean(RegionServerSettings.SQL_TTL.name(), allowed);
  }

  @Test
  void ttlThatIsNotAllowedIsRefused_andTheTableStaysAsItIs() throws SQLException {
    assertThat(RegionServerSettings.SQL_TTL.defaultText()).isEqualTo("false");
    allow(false);
    try (Connection connection = sql.connect(true)) {
      assertThatThrownBy(() -> update(connection, CREATE.formatted("of_ttl") + ", TTL=60"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("TTL")
          .hasMessageContaining("lampone.region.sql.ttl");
      update(connection, CREATE.formatted("without_ttl"));
      assertThatThrownBy(() -> update(connection, "ALTER TABLE without_ttl SET TTL=60"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("lampone.region.sql.ttl");
      update(connection, "UPSERT INTO without_ttl VALUES (1, 'x')");
      assertThat(query(connection, "SELECT a FROM without_ttl")).containsExactly("x");
    }
  }

  /** A row that is written again lives longer. */
  @Test
  void rowsExpire_andAreGoneForAllStatements() throws Exception {
    allow(true);
    try (Connection connection = sql.connect(true)) {
      update(connection, CREATE.formatted("EXPIRING") + ", TTL=20");
      assertThat(lifetime("EXPIRING")).isEqualTo(20_000);
      update(connection, "UPSERT INTO EXPIRING VALUES (1, 'once')");
      update(connection, "UPSERT INTO EXPIRING VALUES (2, 'twice')");
      connection.setAutoCommit(false);
      update(connection, "UPSERT INTO EXPIRING VALUES (3, 'transaction')");
      connection.commit();
      assertThat(query(connection, "SELECT id FROM EXPIRING")).hasSize(3);
      connection.commit();
      Awaitility.await()
          .atMost(Duration.ofMinutes(3))
          .until(
              () -> {
                update(connection, "UPSERT INTO EXPIRING VALUES (2, 'twice')");
                connection.commit();
                List<String> found = query(connection, "SELECT id, a FROM EXPIRING ORDER BY id");
                connection.commit();
                return found.equals(List.of("2 twice"));
              });
      awaitRows(connection, "SELECT id, a FROM EXPIRING ORDER BY id");
      assertThat(query(connection, "SELECT COUNT(*), MAX(a) FROM EXPIRING"))
          .containsExactly("0 null");
      connection.commit();
      connection.setAutoCommit(true);
      assertThat(query(connection, "SELECT a FROM EXPIRING WHERE id = 2")).isEmpty();
      update(connection, "UPSERT INTO EXPIRING VALUES (1, 'again')");
      assertThat(query(connection, "SELECT id, a FROM EXPIRING")).containsExactly("1 again");
    }
  }

  private static void awaitRows(Connection connection, String select, String... rows) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(3))
        .until(
            () -> {
              List<String> found = query(connection, select);
              connection.commit();
              return found.equals(List.of(rows));
            });
  }

  /** An index would show rows that the table does not show any more, or the other way round. */
  @Test
  void tableHasTtlOrIndexes() throws Exception {
    allow(true);
    try (Connection connection = sql.connect(true)) {
      update(connection, CREATE.formatted("TTL_FIRST") + ", TTL=60");
      assertThatThrownBy(() -> update(connection, "CREATE INDEX TTL_FIRST_A ON TTL_FIRST (a)"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("a table with TTL has no index");
      update(connection, "CREATE VIEW TTL_FIRST_VIEW AS SELECT * FROM TTL_FIRST");
      assertThatThrownBy(() -> update(connection, "CREATE INDEX TTL_VIEW_A ON TTL_FIRST_VIEW (a)"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("a table with TTL has no index");
      update(connection, "UPSERT INTO TTL_FIRST VALUES (1, 'x')");
      assertThat(query(connection, "SELECT id FROM TTL_FIRST WHERE a = 'x'")).containsExactly("1");

      update(connection, CREATE.formatted("INDEX_FIRST"));
      update(connection, "CREATE INDEX INDEX_FIRST_A ON INDEX_FIRST (a)");
      assertThatThrownBy(() -> update(connection, "ALTER TABLE INDEX_FIRST SET TTL=60"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("a table with TTL has no index");
      assertThat(lifetime("INDEX_FIRST")).isZero();
      assertThat(lifetime("INDEX_FIRST_A")).isZero();
      update(connection, "UPSERT INTO INDEX_FIRST VALUES (1, 'x')");
      assertThat(query(connection, "SELECT id FROM INDEX_FIRST WHERE a = 'x'"))
          .containsExactly("1");
    }
  }

  /** Also of tables whose TTL is set in HBase, and again. */
  @Test
  void laterTtlReplacesTheOneBefore() throws Exception {
    allow(true);
    try (Connection connection = sql.connect(true)) {
      update(connection, CREATE.formatted("ALTERED_TTL") + ", TTL=60");
      update(connection, "ALTER TABLE ALTERED_TTL SET TTL=120");
      assertThat(lifetime("ALTERED_TTL")).isEqualTo(120_000);
      try (org.apache.hadoop.hbase.client.Connection hbase =
          ConnectionFactory.createConnection(sql.cluster().clientConfiguration())) {
        TableDescriptor table = hbase.getAdmin().getDescriptor(TableName.valueOf("ALTERED_TTL"));
        hbase
            .getAdmin()
            .modifyTable(
                TableDescriptorBuilder.newBuilder(table)
                    .modifyColumnFamily(
                        ColumnFamilyDescriptorBuilder.newBuilder(table.getColumnFamilies()[0])
                            .setTimeToLive(240)
                            .build())
                    .build());
      }
      assertThat(lifetime("ALTERED_TTL")).isEqualTo(240_000);
    }
  }

  @Test
  void adoptedTableGetsItsTtlFromLampone() throws Exception {
    allow(true);
    try (Connection connection = sql.connect(true);
        LamponeClient client = LamponeClient.connect(sql.cluster().clientConfiguration())) {
      update(connection, "CREATE TABLE TTL_ADOPTED (id BIGINT NOT NULL PRIMARY KEY, a VARCHAR)");
      LamponePhoenix.adopt(connection, "TTL_ADOPTED");
      assertThatThrownBy(() -> update(connection, "ALTER TABLE TTL_ADOPTED SET TTL=60"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("expireAfter");
      assertThat(lifetime("TTL_ADOPTED")).isZero();
      client
          .admin()
          .expireAfter(TableName.valueOf("TTL_ADOPTED"), new byte[] {'0'}, Duration.ofSeconds(60));
      assertThat(lifetime("TTL_ADOPTED")).isEqualTo(60_000);
    }
  }

  private long lifetime(String table) throws Exception {
    try (org.apache.hadoop.hbase.client.Connection hbase =
        ConnectionFactory.createConnection(sql.cluster().clientConfiguration())) {
      TableDescriptor found = hbase.getAdmin().getDescriptor(TableName.valueOf(table));
      return TableRetention.of(found)
          .of(Bytes.of(found.getColumnFamilies()[0].getName()))
          .lifetimeMillis();
    }
  }
}
