package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.phoenix.SqlCluster.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** An index over many rows, which is made while others write and read them. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ExtendWith(SqlCluster.class)
class IndexUnderLoadIT {

  private static final long SEED = Long.getLong("lampone.test.seed", System.nanoTime());
  private static final int ROWS = 20_000;
  private static final int BATCH = 2_500;
  private static final int WRITERS = 3;

  /** Less than the rows have. */
  private static final int CELLS = 10_000;

  /** So many refusals, one after the other, are not the load of others. */
  private static final int MOST_REFUSALS = 20;

  private static final String UPSERT = "UPSERT INTO heavy VALUES (?, ?, ?)";

  private final Sql sql;

  /** What has happened in time. */
  private enum Phase {
    BEFORE,
    INDEXING,
    AFTER,
    STOPPED
  }

  private volatile Phase phase = Phase.BEFORE;
  private final AtomicLong whileIndexing = new AtomicLong();

  IndexUnderLoadIT(Sql sql) {
    this.sql = sql;
  }

  private void create() throws SQLException {
    try (Connection connection = connect(false)) {
      update(
          connection,
          "CREATE TABLE heavy (id INTEGER NOT NULL PRIMARY KEY, a VARCHAR, b BIGINT)"
              + " TRANSACTIONAL=true, UPDATE_CACHE_FREQUENCY='NEVER' SPLIT ON ("
              + ROWS / 2
              + ")");
      try (PreparedStatement upsert = connection.prepareStatement(UPSERT)) {
        for (int id = 0; id < BATCH; id++) {
          upsert(upsert, id, "first-" + id % 100, id);
        }
        connection.commit();
      }
      for (int first = BATCH; first < ROWS; first += BATCH) {
        update(
            connection,
            "UPSERT INTO heavy SELECT id + %d, a, b + %d FROM heavy WHERE id < %d"
                .formatted(first, first, BATCH));
        connection.commit();
      }
    }
  }

  /** A connection of a client whose transactions have few cells. */
  private Connection connect(boolean autoCommit) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("lampone.client.transaction.cells", Integer.toString(CELLS));
    return sql.connectAs("limited", autoCommit, properties);
  }

  private static void upsert(PreparedStatement upsert, long id, String a, long b)
      throws SQLException {
    upsert.setLong(1, id);
    upsert.setString(2, a);
    upsert.setLong(3, b);
    upsert.executeUpdate();
  }

  @Test
  void anIndexOverMoreRowsThanATransactionHolds_whileOthersWrite() throws Exception {
    System.out.println("lampone.test.seed=" + SEED);
    create();
    ExecutorService pool = Executors.newFixedThreadPool(WRITERS + 1);
    try (Connection connection = connect(true);
        Connection reader = connect(false)) {
      assertThatThrownBy(
              () -> update(connection, "UPSERT INTO heavy SELECT id + 100000, a, b FROM heavy"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("LP-404");
      List<Future<Map<Integer, String>>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int number = i;
        writers.add(pool.submit(() -> write(number)));
      }
      Future<Integer> reads = pool.submit(this::read);
      try {
        Thread.sleep(1_000); // writers are under way
        phase = Phase.INDEXING;
        update(connection, "CREATE INDEX heavy_a ON heavy (a) INCLUDE (b)");
        phase = Phase.AFTER;
        requireIndexEqual(reader); // in one snapshot, under load
        Thread.sleep(1_000);
      } finally {
        phase = Phase.STOPPED;
      }
      Map<Integer, String> written = new TreeMap<>();
      for (Future<Map<Integer, String>> writer : writers) {
        written.putAll(writer.get(60, TimeUnit.SECONDS));
      }
      assertThat(reads.get(60, TimeUnit.SECONDS)).as("seed %d", SEED).isPositive();
      assertThat(whileIndexing.get()).as("seed %d", SEED).isPositive();
      System.out.println("commits while indexing: " + whileIndexing.get());
      List<String> rows = requireIndexEqual(reader);
      assertThat(rows).as("seed %d", SEED).containsAll(written.values()).hasSize(ROWS);
    } finally {
      phase = Phase.STOPPED;
      pool.shutdownNow();
    }
  }

  private List<String> requireIndexEqual(Connection connection) throws SQLException {
    List<String> rows = query(connection, "SELECT /*+ NO_INDEX */ id, a, b FROM heavy ORDER BY id");
    assertThat(query(connection, "SELECT \":ID\", \"0:A\", \"0:B\" FROM heavy_a ORDER BY \":ID\""))
        .as("seed %d", SEED)
        .isEqualTo(rows);
    connection.commit();
    return rows;
  }

  /** Changes rows of its own, by single statements and in pairs; returns them as they must be. */
  private Map<Integer, String> write(int number) throws SQLException {
    Random random = new Random(SEED + number);
    boolean pairs = number > 0;
    Map<Integer, String> committed = new TreeMap<>();
    int refused = 0;
    try (Connection connection = connect(!pairs);
        PreparedStatement upsert = connection.prepareStatement(UPSERT)) {
      for (int i = 0; phase != Phase.STOPPED; i++) {
        Phase begun = phase;
        Map<Integer, String> rows = new TreeMap<>();
        try {
          for (int j = 0; j < (pairs ? 2 : 1); j++) {
            int id = random.nextInt(ROWS / WRITERS) * WRITERS + number;
            if (id < ROWS && !rows.containsKey(id)) {
              String a = number + "-" + random.nextInt(100);
              upsert(upsert, id, a, i);
              rows.put(id, id + " " + a + " " + i);
            }
          }
          if (pairs) {
            connection.commit();
          }
          committed.putAll(rows);
          refused = 0;
          if (begun == Phase.INDEXING && phase == Phase.INDEXING) {
            whileIndexing.incrementAndGet();
          }
        } catch (SQLException e) {
          assertThat(e.getErrorCode()).as("seed %d: %s", SEED, e.getMessage()).isEqualTo(523);
          assertThat(++refused).as("seed %d: %s", SEED, e.getMessage()).isLessThan(MOST_REFUSALS);
          connection.rollback();
        }
      }
    }
    return committed;
  }

  /**
   * Begins transactions while the index is made, and lets them use it when it is: each reads what
   * it had read in the table, or is refused. Returns how many there were.
   */
  private int read() throws SQLException, InterruptedException {
    List<Connection> begun = new ArrayList<>();
    List<List<String>> read = new ArrayList<>();
    while (phase == Phase.BEFORE || phase == Phase.INDEXING) {
      if (phase == Phase.INDEXING) {
        Connection connection = connect(false);
        begun.add(connection);
        read.add(query(connection, "SELECT /*+ NO_INDEX */ COUNT(*), SUM(b) FROM heavy"));
      }
      Thread.sleep(200);
    }
    String byIndex = "SELECT COUNT(*), SUM(b) FROM heavy WHERE a > '!'";
    for (int i = 0; i < begun.size(); i++) {
      try (Connection connection = begun.get(i)) {
        assertThat(query(connection, "EXPLAIN " + byIndex).toString()).contains("HEAVY_A");
        assertThat(query(connection, byIndex)).as("seed %d", SEED).isEqualTo(read.get(i));
      } catch (SQLException e) {
        assertThat(e.getErrorCode()).as("seed %d: %s", SEED, e.getMessage()).isEqualTo(523);
      }
    }
    return begun.size();
  }
}
