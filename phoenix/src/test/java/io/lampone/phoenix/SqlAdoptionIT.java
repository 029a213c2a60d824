package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeClient;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.phoenix.SqlCluster.Sql;
import io.lampone.protocol.ConflictLevel;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.phoenix.jdbc.PhoenixConnection;
import org.apache.phoenix.transaction.TransactionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that Phoenix has made and filled without transactions become transactional. */
@ExtendWith(SqlCluster.class)
class SqlAdoptionIT {

  private static final int ROWS = 20;
  private static final long SUM = ROWS * (ROWS - 1) / 2;

  private final Sql sql;
  private String table;

  SqlAdoptionIT(Sql sql) {
    this.sql = sql;
  }

  @BeforeEach
  void name(TestInfo test) {
    String method = test.getTestMethod().orElseThrow().getName();
    table = (method + Integer.toUnsignedString(test.getDisplayName().hashCode(), 36));
    table = table.toUpperCase(Locale.ROOT);
  }

  private void createFilled(Connection connection, String options) throws SQLException {
    createFilled(connection, "id BIGINT NOT NULL PRIMARY KEY", options);
  }

  private void createFilled(Connection connection, String key, String options) throws SQLException {
    update(
        connection,
        "CREATE TABLE "
            + table
            + " ("
            + key
            + ", kind VARCHAR, amount BIGINT, b.note VARCHAR) "
            + options);
    for (int id = 0; id < ROWS; id++) {
      update(
          connection,
          "UPSERT INTO " + table + " VALUES (" + id + ", 'k" + id % 4 + "', " + id + ", 'n')");
    }
    connection.commit();
  }

  private TableDescriptor descriptor(Connection connection) throws Exception {
    try (var admin = connection.unwrap(PhoenixConnection.class).getQueryServices().getAdmin()) {
      return admin.getDescriptor(TableName.valueOf(table));
    }
  }

  private static boolean isTransactional(Connection connection, String name) throws SQLException {
    return connection.unwrap(PhoenixConnection.class).getTableNoCache(name).isTransactional();
  }

  private List<String> sums(Connection connection, String kind) throws SQLException {
    return query(
        connection,
        "SELECT COUNT(*), SUM(amount) FROM " + table + (kind == null ? "" : " WHERE " + kind));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "COLUMN_ENCODED_BYTES=0",
        "COLUMN_ENCODED_BYTES=1, VERSIONS=5",
        "COLUMN_ENCODED_BYTES=3, STORE_NULLS=true",
        "SALT_BUCKETS=3, COLUMN_ENCODED_BYTES=4, UPDATE_CACHE_FREQUENCY=100000"
      })
  void rowsStay_andTransactionsAndIndexesWorkOnThem(String options) throws Exception {
    try (Connection connection = sql.connect(false);
        Connection other = sql.connect(false)) {
      createFilled(connection, options);
      update(connection, "DELETE FROM " + table + " WHERE id = 7");
      update(connection, "UPSERT INTO " + table + " (id, kind) VALUES (8, NULL)");
      connection.commit();

      LamponePhoenix.adopt(connection, table);

      assertOpen(connection);
      assertThat(sums(connection, null)).containsExactly(ROWS - 1 + " " + (SUM - 7));
      assertThat(query(connection, "SELECT id FROM " + table + " WHERE kind IS NULL"))
          .containsExactly("8");
      connection.commit();
      assertTransactions(connection, other);
      store(connection);
      assertThat(sums(other, null)).containsExactly(ROWS - 2 + " " + (SUM - 7 + 100 - 4));
      other.commit();
      assertIndexes(connection, options.startsWith("SALT") ? " SALT_BUCKETS=2" : "");
      update(connection, "DROP TABLE " + table);
    }
  }

  private void assertOpen(Connection connection) throws Exception {
    TableDescriptor descriptor = descriptor(connection);
    TableSettings settings = TableSettings.of(descriptor).orElseThrow();
    assertThat(settings.phase()).isEqualTo(TableSettings.Phase.ENABLED);
    assertThat(settings.plainClients()).isEqualTo(PlainClients.PHOENIX);
    assertThat(descriptor.getCoprocessorDescriptors())
        .anyMatch(TableSettings::isObserver)
        .noneMatch(each -> each.getClassName().endsWith(".IndexRegionObserver"));
    assertThat(isTransactional(connection, table)).isTrue();
  }

  /** Own writes, isolation, rollback and conflicts; 20 rows less the one with id 7. */
  private void assertTransactions(Connection connection, Connection other) throws SQLException {
    long sum = SUM - 7;
    update(connection, "UPSERT INTO " + table + " (id, amount) VALUES (1, 101)");
    update(connection, "DELETE FROM " + table + " WHERE id = 2");
    update(connection, "UPSERT INTO " + table + " VALUES (100, 'k1', 7, 'new')");
    update(connection, "UPSERT INTO " + table + " (id, kind) VALUES (3, NULL)");
    assertThat(sums(connection, null)).containsExactly(ROWS - 1 + " " + (sum + 100 - 2 + 7));
    assertThat(sums(other, null)).containsExactly(ROWS - 1 + " " + sum);
    connection.rollback();
    assertThat(sums(connection, null)).containsExactly(ROWS - 1 + " " + sum);
    update(connection, "UPSERT INTO " + table + " (id, amount) VALUES (1, 101)");
    update(connection, "DELETE FROM " + table + " WHERE amount = 4");
    update(connection, "UPSERT INTO " + table + " (id, kind) VALUES (3, NULL)");
    update(other, "UPSERT INTO " + table + " (id, amount) VALUES (1, 102)");
    connection.commit();
    assertThatThrownBy(other::commit).hasMessageContaining("LP-101");
    other.rollback();
    assertThat(query(other, "SELECT id FROM " + table + " WHERE kind IS NULL ORDER BY id"))
        .containsExactly("3", "8");
    assertThat(query(other, "SELECT kind, amount, note FROM " + table + " WHERE id = 1"))
        .containsExactly("k1 101 n");
    other.commit();
  }

  /** Adopted and new cells in one file, judged by the collector. */
  private void store(Connection connection) throws Exception {
    try (var admin = connection.unwrap(PhoenixConnection.class).getQueryServices().getAdmin()) {
      admin.flush(TableName.valueOf(table));
      admin.majorCompact(TableName.valueOf(table));
    }
  }

  /** After {@link #assertTransactions}. */
  private void assertIndexes(Connection connection, String options) throws SQLException {
    String create = "CREATE INDEX " + table + "_X ON " + table + " (kind) INCLUDE (amount)";
    update(connection, create + options);
    assertIndexAgrees(connection);
    assertThat(query(connection, "SELECT amount FROM " + table + " WHERE kind = 'k1'"))
        .containsExactlyInAnyOrder("101", "5", "9", "13", "17");
    update(connection, "UPSERT INTO " + table + " (id, kind) VALUES (5, 'k9')");
    update(connection, "DELETE FROM " + table + " WHERE kind = 'k2'");
    update(connection, "UPSERT INTO " + table + " VALUES (8, 'k9', 1008)");
    connection.commit();
    assertThat(query(connection, "SELECT amount FROM " + table + " WHERE kind = 'k9'"))
        .containsExactlyInAnyOrder("5", "1008");
    assertIndexAgrees(connection);
    update(connection, "ALTER TABLE " + table + " ADD c.extra BIGINT");
    update(connection, "UPSERT INTO " + table + " (id, extra) VALUES (5, 55)");
    connection.commit();
    assertThat(query(connection, "SELECT SUM(extra) FROM " + table)).containsExactly("55");
    update(connection, "ALTER TABLE " + table + " DROP COLUMN note");
    update(connection, "UPDATE STATISTICS " + table);
    assertIndexAgrees(connection);
  }

  /** Of Phoenix's own default for such tables: a cell holds all columns of a family. */
  @Test
  void immutableRowsInSingleCells() throws Exception {
    try (Connection connection = sql.connect(false);
        Connection other = sql.connect(true)) {
      createFilled(connection, "IMMUTABLE_ROWS=true");
      LamponePhoenix.adopt(connection, table);
      assertOpen(connection);
      update(connection, "UPSERT INTO " + table + " VALUES (100, 'k1', 7, 'new')");
      update(connection, "DELETE FROM " + table + " WHERE id = 2");
      assertThat(sums(other, null)).containsExactly(ROWS + " " + SUM);
      assertThat(sums(connection, null)).containsExactly(ROWS + " " + (SUM + 5));
      connection.rollback();
      update(connection, "UPSERT INTO " + table + " VALUES (100, 'k1', 7, 'new')");
      connection.commit();
      assertThat(query(other, "SELECT kind, amount, note FROM " + table + " WHERE id = 5"))
          .containsExactly("k1 5 n");
      update(connection, "CREATE INDEX " + table + "_X ON " + table + " (kind) INCLUDE (amount)");
      assertIndexAgrees(connection);
      update(connection, "UPSERT INTO " + table + " VALUES (101, 'k1', 8, 'new')");
      assertThat(sums(connection, "kind = 'k1'"))
          .containsExactly("7 " + (1 + 5 + 9 + 13 + 17 + 15));
      assertThat(sums(other, "kind = 'k1'")).containsExactly("6 " + (1 + 5 + 9 + 13 + 17 + 7));
      connection.commit();
      assertIndexAgrees(connection);
    }
  }

  @Test
  void viewsAreAdoptedWithTheirTable_andMayHaveIndexesAfterwards() throws Exception {
    try (Connection connection = sql.connect(false);
        Connection other = sql.connect(true)) {
      createFilled(connection, "");
      String view = table + "_V";
      update(
          connection,
          "CREATE VIEW " + view + " (own BIGINT) AS SELECT * FROM " + table + " WHERE kind = 'k1'");
      update(connection, "UPSERT INTO " + view + " (id, own) VALUES (1, 11)");
      connection.commit();
      LamponePhoenix.adopt(connection, table);
      assertThat(isTransactional(connection, view)).isTrue();
      update(connection, "UPSERT INTO " + view + " (id, amount, own) VALUES (200, 5, 22)");
      String sum = "SELECT COUNT(*), SUM(own) FROM " + view;
      assertThat(query(other, sum)).containsExactly("5 11");
      assertThat(query(connection, sum)).containsExactly("6 33");
      connection.commit();
      update(connection, "CREATE INDEX " + view + "_X ON " + view + " (own)");
      update(connection, "UPSERT INTO " + view + " (id, own) VALUES (5, 33)");
      connection.commit();
      assertThat(query(connection, "SELECT id FROM " + view + " WHERE own > 20 ORDER BY id"))
          .containsExactly("5", "200");
    }
  }

  @Test
  void theAlterStatementAloneIsRefusedBeforeAnythingChanges() throws Exception {
    try (Connection connection = sql.connect(true)) {
      createFilled(connection, "");
      TableDescriptor before = descriptor(connection);
      for (String provider : List.of("", ", TRANSACTION_PROVIDER='OMID'")) {
        assertThatThrownBy(
                () ->
                    update(
                        connection, "ALTER TABLE " + table + " SET TRANSACTIONAL=true" + provider))
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(1093));
      }
      assertUntouched(connection, before);
    }
  }

  private void assertUntouched(Connection connection, TableDescriptor before) throws Exception {
    assertThat(descriptor(connection)).isEqualTo(before);
    assertThat(isTransactional(connection, table)).isFalse();
    assertThat(sums(connection, null)).containsExactly(ROWS + " " + SUM);
    update(connection, "UPSERT INTO " + table + " (id, amount) VALUES (0, 1)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "|CREATE INDEX %s_X ON %s (kind)|drop them",
        "|CREATE LOCAL INDEX %s_L ON %s (kind)|drop them",
        "TTL=100000||expire",
        "REPLICATION_SCOPE=1||REPLICATION_SCOPE",
        "|CREATE VIEW %s_V AS SELECT * FROM %s; CREATE INDEX %s_VX ON %1$s_V (kind)|views"
      })
  void whatIsNotAdoptedIsRefusedBeforeAnythingChanges(String options, String ddl, String why)
      throws Exception {
    try (Connection connection = sql.connect(true)) {
      createFilled(connection, options == null ? "" : options);
      for (String statement : ddl == null ? new String[0] : ddl.split(";")) {
        update(connection, String.format(statement, table, table));
      }
      TableDescriptor before = descriptor(connection);
      assertThatThrownBy(() -> LamponePhoenix.adopt(connection, table))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining(why)
          .hasMessageContaining(table);
      assertUntouched(connection, before);
    }
  }

  @Test
  void tenantsTimestampsViewsAndTablesOfOthersAreRefused() throws Exception {
    try (Connection connection = sql.connect(true)) {
      update(
          connection,
          "CREATE TABLE "
              + table
              + "_R (at TIMESTAMP NOT NULL, v BIGINT CONSTRAINT pk PRIMARY KEY (at ROW_TIMESTAMP))");
      update(
          connection,
          "CREATE TABLE "
              + table
              + "_T (tenant VARCHAR NOT NULL, id BIGINT NOT NULL, v BIGINT"
              + " CONSTRAINT pk PRIMARY KEY (tenant, id)) MULTI_TENANT=true");
      createFilled(connection, "");
      update(connection, "CREATE VIEW " + table + "_V AS SELECT * FROM " + table);
      assertRefused(connection, table + "_T", "tenants");
      assertRefused(connection, table + "_R", "ROW_TIMESTAMP");
      assertRefused(connection, table + "_V", "only tables");
      assertRefused(connection, table + "_NONE", "Table undefined");
      // What Phoenix alone would do: it changes the catalogue, and then HBase's master refuses.
      assertThatThrownBy(() -> alter(connection)).hasMessageContaining("enable it first");
      assertThat(isTransactional(connection, table)).isTrue();
      assertRefused(connection, table, "Omid");
      assertThat(TableSettings.of(descriptor(connection))).isEmpty();
    }
  }

  private static void assertRefused(Connection connection, String name, String why) {
    assertThatThrownBy(() -> LamponePhoenix.adopt(connection, name))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining(why);
  }

  private void alter(Connection connection) throws SQLException {
    ((PhoenixProvider) TransactionFactory.Provider.OMID.getTransactionProvider())
        .altering(
            () ->
                update(
                    connection,
                    "ALTER TABLE "
                        + table
                        + " SET TRANSACTIONAL=true, TRANSACTION_PROVIDER='OMID'"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anInterruptedAdoptionIsClosedToSqlWithoutTransactions_andIsRepeated(boolean inCatalogue)
      throws Exception {
    try (Connection connection = sql.connect(false);
        Connection other = sql.connect(true);
        LamponeClient client = LamponeClient.connect(sql.cluster().clientConfiguration())) {
      createFilled(connection, "");
      client.admin().enableTable(TableName.valueOf(table), ConflictLevel.ROW, PlainClients.REFUSED);
      for (String statement :
          List.of("DELETE FROM %s", "UPSERT INTO %s (id, amount) VALUES (1, 2)")) {
        assertThatThrownBy(() -> update(other, String.format(statement, table)))
            .hasMessageContaining("PLAIN_CLIENT");
      }
      if (inCatalogue) {
        TableDescriptor before = descriptor(connection);
        alter(connection);
        try (var admin = connection.unwrap(PhoenixConnection.class).getQueryServices().getAdmin()) {
          admin.modifyTable(before);
        }
      }
      assertThat(isTransactional(connection, table)).isEqualTo(inCatalogue);
      assertThat(descriptor(connection).getCoprocessorDescriptors())
          .anyMatch(each -> each.getClassName().endsWith(".IndexRegionObserver"));
      LamponePhoenix.adopt(connection, table);
      LamponePhoenix.adopt(connection, table);
      assertOpen(connection);
      assertThat(sums(connection, null)).containsExactly(ROWS + " " + SUM);
      update(connection, "UPSERT INTO " + table + " (id, amount) VALUES (1, 2)");
      assertThat(sums(other, null)).containsExactly(ROWS + " " + SUM);
      connection.commit();
      assertThat(sums(other, null)).containsExactly(ROWS + " " + (SUM + 1));
      update(connection, "CREATE INDEX " + table + "_X ON " + table + " (kind) INCLUDE (amount)");
      assertIndexAgrees(connection);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DELETE FROM %s",
        "DELETE FROM %s WHERE amount = 4",
        "SELECT SUM(amount) FROM %s",
        "SELECT * FROM %s WHERE id = 1",
        "UPSERT INTO %s (id, amount) VALUES (1, 2)"
      })
  void aClientWithAnOldCatalogueIsRefused(String statement) throws Exception {
    String client = "old" + statement.length();
    try (Connection connection = sql.connect(true);
        Connection stale = sql.connectAs(client, true, new Properties())) {
      createFilled(connection, "UPDATE_CACHE_FREQUENCY=100000000");
      assertThat(sums(stale, null)).containsExactly(ROWS + " " + SUM);
      LamponePhoenix.adopt(connection, table);
      update(connection, "CREATE INDEX " + table + "_X ON " + table + " (kind) INCLUDE (amount)");
      String text = String.format(statement, table);
      assertThatThrownBy(
              () -> {
                if (text.startsWith("SELECT")) {
                  query(stale, text);
                } else {
                  update(stale, text);
                }
              })
          .hasMessageContaining("PLAIN_CLIENT");
      assertThat(sums(connection, null)).containsExactly(ROWS + " " + SUM);
      assertIndexAgrees(connection);
    }
  }

  @Test
  void snapshotsFromBeforeAreRefused_theyWouldSeeLaterWrites() throws Exception {
    try (Connection connection = sql.connect(false);
        Connection before = sql.connect(false)) {
      update(
          connection,
          "CREATE TABLE " + table + "_O (id BIGINT NOT NULL PRIMARY KEY) TRANSACTIONAL=true");
      createFilled(connection, "");
      assertThat(query(before, "SELECT * FROM " + table + "_O")).isEmpty();
      long millis = System.currentTimeMillis();
      Thread.sleep(5); // the adoption comes later
      LamponePhoenix.adopt(connection, table);
      update(connection, "UPSERT INTO " + table + " (id, amount) VALUES (1, 1001)");
      connection.commit();
      assertThatThrownBy(() -> sums(before, null)).hasMessageContaining("PLAIN_CLIENT");
      Properties past = new Properties();
      past.setProperty("LamponeAsOf", Long.toString(millis));
      try (Connection reader = sql.connect(false, past)) {
        assertThatThrownBy(() -> sums(reader, null)).hasMessageContaining("PLAIN_CLIENT");
      }
    }
  }

  private void assertIndexAgrees(Connection connection) throws SQLException {
    String byIndex = " FROM " + table + "_X ORDER BY 1";
    assertThat(query(connection, "SELECT \":ID\", \"0:KIND\", \"0:AMOUNT\"" + byIndex))
        .isNotEmpty()
        .isEqualTo(
            query(
                connection,
                "SELECT /*+ NO_INDEX */ id, kind, amount FROM " + table + " ORDER BY id"));
    connection.commit();
  }
}
