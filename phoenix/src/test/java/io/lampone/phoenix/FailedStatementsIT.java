package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.phoenix.SqlCluster.Sql;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.phoenix.execute.MutationState;
import org.apache.phoenix.jdbc.PhoenixConnection;
import org.apache.phoenix.schema.types.PLong;
import org.apache.phoenix.transaction.PhoenixTransactionContext;
import org.apache.phoenix.transaction.PhoenixTransactionContext.PhoenixVisibilityLevel;
import org.apache.phoenix.transaction.TransactionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements that have failed: neither the next one nor a commit writes what they have written. */
@ExtendWith(SqlCluster.class)
class FailedStatementsIT {

  private final Sql sql;

  FailedStatementsIT(Sql sql) {
    this.sql = sql;
  }

  private static void create(Connection connection, String table) throws SQLException {
    update(
        connection,
        "CREATE TABLE "
            + table
            + " (id BIGINT NOT NULL PRIMARY KEY, a VARCHAR, b BIGINT) TRANSACTIONAL=true");
  }

  private static List<Put> rows(long first) {
    return LongStream.of(first, first + 1)
        .mapToObj(id -> new Put(PLong.INSTANCE.toBytes(id)))
        .map(row -> row.addColumn(Bytes.toBytes("0"), Bytes.toBytes("_0"), Bytes.toBytes("x")))
        .toList();
  }

  /** Phoenix does not wait for threads that run when a statement fails. */
  @Test
  void itsThreadsDoNotWriteIntoTheNextOne() throws Exception {
    try (Connection failing = sql.connectAs("parts", true, new Properties());
        org.apache.hadoop.hbase.client.Connection hbase =
            ConnectionFactory.createConnection(sql.cluster().configuration())) {
      create(failing, "parts");
      MutationState state = failing.unwrap(PhoenixConnection.class).getMutationState();
      state.startTransaction(TransactionFactory.Provider.OMID);
      PhoenixTransactionContext context = state.getPhoenixTransactionContext();
      context.setVisibilityLevel(PhoenixVisibilityLevel.SNAPSHOT);
      PhoenixTransactionContext part = context.newTransactionContext(context, true);
      Table table = part.getTransactionalTable(hbase.getTable(TableName.valueOf("PARTS")), false);
      table.put(rows(0));

      context.setVisibilityLevel(PhoenixVisibilityLevel.SNAPSHOT);

      assertThatThrownBy(() -> table.put(rows(10))).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> table.exists(new Get(PLong.INSTANCE.toBytes(1L))))
          .isInstanceOf(IOException.class);
      context.commit();
      assertThat(query(failing, "SELECT COUNT(*) FROM parts")).containsExactly("0");
    }
  }

  /** One of them may have written rows, and not yet their index rows. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void itIsNotCommittedWhileItsThreadsWrite(boolean hasEnded) throws Exception {
    String name = hasEnded ? "PARTS_ENDED" : "PARTS_OPEN";
    try (Connection failing = sql.connectAs(name, false, new Properties());
        org.apache.hadoop.hbase.client.Connection hbase =
            ConnectionFactory.createConnection(sql.cluster().configuration())) {
      create(failing, name);
      PhoenixConnection connection = failing.unwrap(PhoenixConnection.class);
      connection.getMutationState().startTransaction(TransactionFactory.Provider.OMID);
      PhoenixConnection part = new PhoenixConnection(connection); // as Phoenix makes one
      part.getMutationState()
          .getPhoenixTransactionContext()
          .getTransactionalTableWriter(
              part, connection.getTable(name), hbase.getTable(TableName.valueOf(name)), false)
          .put(rows(0));
      if (hasEnded) {
        part.close();
        failing.commit();
      } else {
        assertThatThrownBy(failing::commit)
            .isInstanceOf(SQLException.class)
            .hasMessageContaining("LP-403");
        part.close();
      }
      assertThat(query(failing, "SELECT COUNT(*) FROM " + name))
          .containsExactly(hasEnded ? "2" : "0");
    }
  }

  /** It would not conflict with what is committed after its first statement. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTransactionThatAutocommitHasLeft_beginsWithTheNextStatementWithoutIt(boolean isCompiledOnly)
      throws SQLException {
    String name = isCompiledOnly ? "LEFT_COMPILED" : "LEFT_FAILED";
    try (Connection leaving = sql.connectAs(name, true, new Properties());
        Connection other = sql.connect(true)) {
      create(leaving, name);
      update(leaving, "UPSERT INTO " + name + " VALUES (0, 'x', 0)");
      if (isCompiledOnly) {
        try (PreparedStatement all = leaving.prepareStatement("SELECT * FROM " + name)) {
          assertThat(all.getMetaData().getColumnCount()).isEqualTo(3);
        }
      } else {
        String copy = "UPSERT INTO " + name + " SELECT id + 1, a, 100 / b FROM " + name;
        assertThatThrownBy(() -> update(leaving, copy)).hasMessageContaining("/ by zero");
      }

      leaving.setAutoCommit(false);
      update(leaving, "UPSERT INTO " + name + " VALUES (1, 'mine', 1)");
      update(other, "UPSERT INTO " + name + " VALUES (1, 'theirs', 1)");

      assertThatThrownBy(leaving::commit)
          .isInstanceOfSatisfying(
              SQLException.class,
              e -> assertThat(e.getErrorCode()).isEqualTo(isCompiledOnly ? 523 : 1077))
          .hasMessageContaining("LP-101");
      assertThat(query(other, "SELECT a FROM " + name + " WHERE id = 1")).containsExactly("theirs");
    }
  }

  /** Phoenix begins the transaction of a batch without autocommit, and leaves it if it fails. */
  @Test
  void inATransactionWithoutAutocommit_itIsNotCommittedByTheNextOne() throws SQLException {
    try (Connection failing = sql.connectAs("batch_left", true, new Properties())) {
      create(failing, "batch_left");
      for (int id = 0; id < 250; id++) {
        update(failing, "UPSERT INTO batch_left VALUES (" + id + ", 'x', " + (id - 240) + ")");
      }
      failing.setAutoCommit(false);
      update(failing, "UPSERT INTO batch_left VALUES (5000, 'y', 1)");
      failing.setAutoCommit(true);
      String copy = "UPSERT INTO batch_left SELECT id + 1000, a, 100 / b FROM batch_left";
      assertThatThrownBy(() -> update(failing, copy)).hasMessageContaining("/ by zero");

      String count = "SELECT COUNT(*) FROM batch_left";
      assertThatThrownBy(() -> query(failing, count)).hasMessageContaining("LP-403");
      assertThat(query(failing, count)).containsExactly("250");
    }
  }
}
