package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.phoenix.SqlCluster.Sql;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.phoenix.jdbc.PhoenixConnection;
import org.apache.phoenix.schema.types.PLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.ThrowingSupplier;

/** Rows that populate an index, here a table, and writers of the same rows. */
@ExtendWith(SqlCluster.class)
class IndexPopulationIT {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final byte[] FAMILY = Bytes.toBytes("0");

  private final Sql sql;

  IndexPopulationIT(Sql sql) {
    this.sql = sql;
  }

  private static void create(Connection connection, String table) throws SQLException {
    update(
        connection,
        "CREATE TABLE "
            + table
            + " (id BIGINT NOT NULL PRIMARY KEY, a VARCHAR, b VARCHAR) TRANSACTIONAL=true,"
            + " COLUMN_ENCODED_BYTES=0");
  }

  private static SqlTransaction populating(Connection connection, String table) throws Exception {
    return SqlTransaction.populating(
        PhoenixClient.of(connection.unwrap(PhoenixConnection.class)),
        TIMEOUT,
        Set.of(TableName.valueOf(table)));
  }

  /** Writes a row as Phoenix does: values by a put, nulls by a delete. */
  private void populate(SqlTransaction population, String table, long id) throws IOException {
    byte[] row = PLong.INSTANCE.toBytes(id);
    try (org.apache.hadoop.hbase.client.Connection hbase =
            ConnectionFactory.createConnection(sql.cluster().configuration());
        Table index = hbase.getTable(TableName.valueOf(table))) {
      population.populate(
          index,
          List.of(
              new Put(row)
                  .addColumn(FAMILY, Bytes.toBytes("A"), Bytes.toBytes("snapshot"))
                  .addColumn(FAMILY, Bytes.toBytes("_0"), Bytes.toBytes("x")),
              new Delete(row).addColumns(FAMILY, Bytes.toBytes("B"))));
    }
  }

  @Test
  void aRowThatWasWrittenSinceTheSnapshotIsLeftAsItIs() throws Exception {
    try (Connection connection = sql.connect(true)) {
      create(connection, "POP_WRITTEN");
      update(connection, "UPSERT INTO pop_written VALUES (0, 'before', 'before')");
      SqlTransaction population = populating(connection, "POP_WRITTEN");
      update(connection, "UPSERT INTO pop_written VALUES (1, 'later', 'later')");
      update(connection, "DELETE FROM pop_written WHERE id = 2"); // a row that is not there yet

      for (long id = 0; id < 4; id++) {
        populate(population, "POP_WRITTEN", id);
      }
      population.commit();

      assertThat(query(connection, "SELECT * FROM pop_written ORDER BY id"))
          .containsExactly("0 snapshot null", "1 later later", "3 snapshot null");
    }
  }

  @Test
  void anUndecidedWriterOfTheRowEndsFirst_oneThatComesLaterIsRefusedOnce() throws Exception {
    try (Connection connection = sql.connect(true);
        Connection undecided = sql.connect(false);
        Connection late = sql.connect(false)) {
      create(connection, "POP_UNDECIDED");
      SqlTransaction population = populating(connection, "POP_UNDECIDED");
      update(undecided, "UPSERT INTO pop_undecided VALUES (1, 'undecided', 'x')");
      assertThat(query(undecided, "SELECT COUNT(*) FROM pop_undecided"))
          .containsExactly("1"); // sent
      assertThat(query(late, "SELECT COUNT(*) FROM pop_undecided")).containsExactly("0");

      populate(population, "POP_UNDECIDED", 1);
      populate(population, "POP_UNDECIDED", 2);

      requireConflict(
          () -> {
            undecided.commit();
            return undecided;
          });
      requireConflict(
          () -> {
            update(late, "UPSERT INTO pop_undecided VALUES (2, 'late', 'x')");
            late.commit();
            return late;
          });
      late.rollback();
      population.commit();
      update(late, "UPSERT INTO pop_undecided VALUES (2, 'late', 'x')");
      late.commit();
      assertThat(query(connection, "SELECT * FROM pop_undecided ORDER BY id"))
          .containsExactly("1 snapshot null", "2 late x");
    }
  }

  /** It would miss the rows, whose versions are above its snapshot. */
  @Test
  void aTransactionThatBeganBeforeTheEndDoesNotReadIt() throws Exception {
    try (Connection connection = sql.connect(true);
        Connection early = sql.connect(false)) {
      create(connection, "POP_EARLY");
      SqlTransaction population = populating(connection, "POP_EARLY");
      populate(population, "POP_EARLY", 1);
      assertThat(query(early, "SELECT 1 FROM pop_early WHERE id = 9")).isEmpty();
      populate(population, "POP_EARLY", 2);
      population.commit();
      requireConflict(() -> query(early, "SELECT * FROM pop_early"));
      early.rollback();
      assertThat(query(early, "SELECT COUNT(*) FROM pop_early")).containsExactly("2");
    }
  }

  /** Then a conflict may be with what had been committed before: the row would be missing. */
  @Test
  void aSnapshotThatIsLostIsAFailure() throws Exception {
    try (Connection connection = sql.connect(true)) {
      create(connection, "POP_LOST");
      SqlTransaction population = populating(connection, "POP_LOST");
      update(connection, "UPSERT INTO pop_lost VALUES (1, 'later', 'x')");
      populate(population, "POP_LOST", 1);
      sql.fence(TableName.valueOf("POP_LOST"));
      assertThatThrownBy(() -> populate(population, "POP_LOST", 1))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("LP-104");
      population.rollback();
    }
  }

  /** Threads of a failed statement go on: the index may have been emptied, and its tombstones. */
  @Test
  void afterItsEndItDoesNotPopulate() throws Exception {
    try (Connection connection = sql.connect(true)) {
      create(connection, "POP_ENDED");
      SqlTransaction population = populating(connection, "POP_ENDED");
      populate(population, "POP_ENDED", 1);
      population.rollback();
      assertThatThrownBy(() -> populate(population, "POP_ENDED", 2))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("LP-403");
      assertThat(query(connection, "SELECT id FROM pop_ended")).containsExactly("1");
    }
  }

  private static void requireConflict(ThrowingSupplier<Object> statement) {
    assertThatThrownBy(statement::get)
        .isInstanceOfSatisfying(
            SQLException.class,
            e -> assertThat(e.getErrorCode()).as(e.getMessage()).isEqualTo(523));
  }
}
