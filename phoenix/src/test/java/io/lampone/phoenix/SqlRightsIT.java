package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lampone.hbase.TableSettings;
import io.lampone.phoenix.SqlCluster.Sql;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.PrivilegedExceptionAction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessControlClient;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * SQL of users without the rights that it needs, where HBase checks rights: refused with the
 * reason, and nothing is changed.
 */
@Tag("own-jvm")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqlRightsIT {

  private static final List<String> ROWS = List.of("1 10", "2 20");

  private Sql sql;
  private org.apache.hadoop.hbase.client.Connection owner;
  private Connection owners;
  private String table;

  @BeforeAll
  void start() throws Exception {
    sql =
        new Sql(
            builder ->
                builder
                    .setting("hbase.security.authorization", "true")
                    .setting("hbase.superuser", currentUser())
                    .regionCoprocessor(AccessController.class)
                    .regionServerCoprocessor(AccessController.class)
                    .masterCoprocessor(AccessController.class));
    owner = ConnectionFactory.createConnection(sql.cluster().hbase().configuration());
    owners = sql.connect(true);
    for (String system : List.of("CATALOG", "STATS", "FUNCTION", "SEQUENCE", "MUTEX", "LOG")) {
      TableName name = TableName.valueOf("SYSTEM." + system);
      try (Admin admin = owner.getAdmin()) {
        if (admin.tableExists(name)) {
          grant(name, "user", Action.READ, Action.EXEC);
        }
      }
    }
  }

  @AfterAll
  void stop() throws Exception {
    owners.close();
    owner.close();
    sql.close();
  }

  @BeforeEach
  void create(TestInfo test) throws SQLException {
    table = test.getTestMethod().orElseThrow().getName().toUpperCase(Locale.ROOT);
    update(
        owners,
        "CREATE TABLE " + table + " (id BIGINT NOT NULL PRIMARY KEY, n BIGINT)" + options(test));
    update(owners, "UPSERT INTO " + table + " VALUES (1, 10)");
    update(owners, "UPSERT INTO " + table + " VALUES (2, 20)");
  }

  private static String options(TestInfo test) {
    return test.getTags().contains("plain") ? "" : " TRANSACTIONAL=true";
  }

  private static String currentUser() {
    try {
      return User.getCurrent().getShortName();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void grant(TableName name, String user, Action... actions) throws Exception {
    try {
      AccessControlClient.grant(owner, name, user, null, null, actions);
    } catch (Exception e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private Connection userConnection(boolean autoCommit) throws Exception {
    User user =
        User.createUserForTesting(sql.cluster().hbase().configuration(), "user", new String[0]);
    return user.runAs(
        (PrivilegedExceptionAction<Connection>)
            () -> sql.connectAs("user", autoCommit, new Properties()));
  }

  private void assertDenied(Throwable failure) {
    assertThat(failure).isInstanceOf(SQLException.class);
    assertThat(failure).hasMessageContaining("Insufficient permissions");
  }

  private void assertRowsStay() throws SQLException {
    assertThat(query(owners, "SELECT id, n FROM " + table + " ORDER BY id")).isEqualTo(ROWS);
    // Nothing is left that another writer would have to wait for.
    update(owners, "UPSERT INTO " + table + " VALUES (1, 10)");
  }

  @Test
  void aReaderReads_andItsWritesAreRefused() throws Exception {
    grant(TableName.valueOf(table), "user", Action.READ);
    try (Connection connection = userConnection(true)) {
      assertThat(query(connection, "SELECT n FROM " + table + " WHERE id = 1"))
          .containsExactly("10");
      assertThat(query(connection, "SELECT SUM(n) FROM " + table)).containsExactly("30");
      assertDenied(
          catchThrowable(() -> update(connection, "UPSERT INTO " + table + " VALUES (1, 11)")));
      assertDenied(
          catchThrowable(() -> update(connection, "DELETE FROM " + table + " WHERE id = 1")));
    }
    try (Connection connection = userConnection(false)) {
      assertDenied(
          catchThrowable(
              () -> {
                update(connection, "UPSERT INTO " + table + " VALUES (1, 11)");
                update(connection, "UPSERT INTO " + table + " VALUES (2, 22)");
                connection.commit();
              }));
      connection.rollback();
      assertThat(query(connection, "SELECT SUM(n) FROM " + table)).containsExactly("30");
    }
    assertRowsStay();
  }

  @Test
  void withoutARightOnTheTable_nothingIsShown() throws Exception {
    try (Connection connection = userConnection(true)) {
      assertDenied(catchThrowable(() -> query(connection, "SELECT n FROM " + table)));
      assertDenied(
          catchThrowable(() -> query(connection, "SELECT n FROM " + table + " WHERE id = 1")));
      assertDenied(catchThrowable(() -> query(connection, "SELECT COUNT(*) FROM " + table)));
    }
    assertRowsStay();
  }

  @Test
  void aWriterWithoutARightOnTheIndex_changesNeither() throws Exception {
    update(owners, "CREATE INDEX " + table + "_I ON " + table + " (n)");
    grant(TableName.valueOf(table), "user", Action.READ, Action.WRITE);
    for (boolean autoCommit : new boolean[] {true, false}) {
      try (Connection connection = userConnection(autoCommit)) {
        assertDenied(
            catchThrowable(
                () -> {
                  update(connection, "UPSERT INTO " + table + " VALUES (1, 11)");
                  connection.commit();
                }));
      }
    }
    assertRowsStay();
    assertThat(query(owners, "SELECT CAST(\"0:N\" AS BIGINT) FROM " + table + "_I ORDER BY 1"))
        .containsExactly("10", "20");
  }

  @Test
  @Tag("plain")
  void adoptionByAUserWhoMayNotAdministerTheTable_changesNothing() throws Exception {
    grant(TableName.valueOf(table), "user", Action.READ, Action.WRITE);
    TableDescriptor before;
    try (Admin admin = owner.getAdmin()) {
      before = admin.getDescriptor(TableName.valueOf(table));
    }
    try (Connection connection = userConnection(true)) {
      assertDenied(catchThrowable(() -> LamponePhoenix.adopt(connection, table)));
      assertThat(update(connection, "UPSERT INTO " + table + " VALUES (1, 10)")).isEqualTo(1);
    }
    try (Admin admin = owner.getAdmin()) {
      assertThat(admin.getDescriptor(TableName.valueOf(table))).isEqualTo(before);
    }
    assertRowsStay();
    LamponePhoenix.adopt(owners, table);
    try (Admin admin = owner.getAdmin()) {
      assertThat(
              admin
                  .getDescriptor(TableName.valueOf(table))
                  .hasCoprocessor(TableSettings.COPROCESSOR))
          .isTrue();
    }
    assertRowsStay();
  }

  @Test
  void tablesAreNotCreated_changedOrDroppedWithoutTheRight() throws Exception {
    grant(TableName.valueOf(table), "user", Action.READ, Action.WRITE);
    String other = table + "_2";
    try (Connection connection = userConnection(true)) {
      assertDenied(
          catchThrowable(
              () ->
                  update(
                      connection,
                      "CREATE TABLE "
                          + other
                          + " (id BIGINT NOT NULL PRIMARY KEY) TRANSACTIONAL=true")));
      assertDenied(
          catchThrowable(
              () -> update(connection, "CREATE INDEX " + table + "_I ON " + table + " (n)")));
      assertDenied(catchThrowable(() -> update(connection, "DROP TABLE " + table)));
    }
    assertRowsStay();
    update(
        owners, "CREATE TABLE " + other + " (id BIGINT NOT NULL PRIMARY KEY) TRANSACTIONAL=true");
  }
}
