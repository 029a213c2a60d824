package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.ClientMetrics;
import io.lampone.phoenix.SqlCluster.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.apache.hadoop.hbase.regionserver.MetricsRegionServerWrapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls of servers that statements wait for, besides those of Phoenix itself. */
@ExtendWith(SqlCluster.class)
class SqlTripsIT {

  private static final int ATTEMPTS = 7;

  private final Sql sql;

  SqlTripsIT(Sql sql) {
    this.sql = sql;
  }

  /**
   * Calls.
   *
   * @param manager of the transaction manager
   * @param scans of region servers
   * @param flushes requests that write intents: those of one batch are parallel
   * @param batches of these requests, one for each table
   * @param leaders commits by intents
   * @param oneRegion commits in one region
   * @param master descriptors read from the master
   * @param lines those to region servers that the waiting thread sends and reads itself
   */
  private record Calls(
      long manager,
      long scans,
      long flushes,
      long batches,
      long leaders,
      long oneRegion,
      long master,
      long lines) {

    Calls since(Calls before) {
      return new Calls(
          manager - before.manager,
          scans - before.scans,
          flushes - before.flushes,
          batches - before.batches,
          leaders - before.leaders,
          oneRegion - before.oneRegion,
          master - before.master,
          lines - before.lines);
    }

    /**
     * Of two runs with as many calls, the one before which more connections were open is better.
     */
    boolean isBetterThan(Calls other) {
      return total() == other.total() ? lines > other.lines : total() < other.total();
    }

    /** Returns how many there were; lines are one way of some of them. */
    long total() {
      return manager + scans + flushes + leaders + oneRegion + master;
    }
  }

  @FunctionalInterface
  private interface Statements {
    void run() throws SQLException;
  }

  private Calls now(Connection connection) throws SQLException {
    ClientMetrics client = LamponePhoenix.metrics(connection);
    MetricsRegionServerWrapper server =
        sql.cluster().hbase().regionServer(0).getMetrics().getRegionServerWrapper();
    return new Calls(
        client.managerRequests(),
        server.getRpcScanRequestsCount(),
        client.flushRequests(),
        client.flushBatches(),
        client.leaderWrites(),
        client.oneRegionCommits(),
        DescriptorReads.count(),
        client.lineCalls());
  }

  /** Returns the fewest calls of several runs: others may be of other tests, or refusals. */
  private Calls calls(Connection connection, Statements statements) throws SQLException {
    Calls fewest = null;
    for (int i = 0; i < ATTEMPTS; i++) {
      Calls before = now(connection);
      statements.run();
      Calls calls = now(connection).since(before);
      if (fewest == null || calls.isBetterThan(fewest)) {
        fewest = calls;
      }
    }
    return fewest;
  }

  /** Metadata that are not asked for again are the least that an application sets. */
  private static void create(Connection connection, String table) throws SQLException {
    update(
        connection,
        "CREATE TABLE "
            + table
            + " (id BIGINT NOT NULL PRIMARY KEY, owner VARCHAR, balance BIGINT)"
            + " UPDATE_CACHE_FREQUENCY='NEVER', TRANSACTIONAL=true");
  }

  /** Begin, old row, both intents at once, validation, commit: the master is not asked. */
  @Test
  void anUpsertWithAnIndexUnderAutocommitIsFiveTrips() throws SQLException {
    try (Connection connection = sql.connect(true)) {
      create(connection, "trips_indexed");
      update(connection, "CREATE INDEX trips_owner ON trips_indexed (owner) INCLUDE (balance)");
      int[] id = {0};
      try (PreparedStatement upsert =
          connection.prepareStatement("UPSERT INTO trips_indexed VALUES (?, 'ann', 5)")) {
        assertThat(
                calls(
                    connection,
                    () -> {
                      upsert.setLong(1, id[0]++);
                      upsert.executeUpdate();
                    }))
            .isEqualTo(new Calls(2, 1, 2, 2, 1, 0, 0, 4));
      }
      assertThat(query(connection, "SELECT COUNT(*) FROM trips_indexed WHERE owner = 'ann'"))
          .containsExactly(Integer.toString(ATTEMPTS));
    }
  }

  /** The first such statement of a connection begins late: a region tells of new indexes. */
  @Test
  void theFirstOneOfAConnectionReadsNoDescriptorEither() throws SQLException {
    try (Connection connection = sql.connect(true)) {
      create(connection, "trips_first");
      update(connection, "CREATE INDEX trips_first_owner ON trips_first (owner)");
      update(connection, "UPSERT INTO trips_first VALUES (0, 'ann', 0)");
    }
    try (Connection connection = sql.connect(true)) {
      query(connection, "SELECT balance FROM trips_first WHERE id = 0"); // nothing to be learnt
      Calls before = now(connection);
      update(connection, "UPSERT INTO trips_first VALUES (1, 'ann', 1)");
      Calls first = now(connection).since(before);
      update(connection, "UPSERT INTO trips_first VALUES (2, 'ann', 1)");
      Calls second = now(connection).since(before).since(first);
      assertThat(first.master()).isZero();
      assertThat(second.master()).isZero();
    }
  }

  @Test
  void anExplicitReadModifyWriteIsThreeTrips() throws SQLException {
    try (Connection connection = sql.connect(false)) {
      create(connection, "trips_plain");
      update(connection, "UPSERT INTO trips_plain VALUES (1, 'ann', 0)");
      connection.commit();

      assertThat(
              calls(
                  connection,
                  () -> {
                    long balance =
                        Long.parseLong(
                            query(connection, "SELECT balance FROM trips_plain WHERE id = 1")
                                .get(0));
                    update(
                        connection,
                        "UPSERT INTO trips_plain (id, balance) VALUES (1, " + (balance + 1) + ")");
                    connection.commit();
                  }))
          .isEqualTo(new Calls(1, 1, 0, 0, 0, 1, 0, 2));
      assertThat(query(connection, "SELECT balance FROM trips_plain"))
          .containsExactly(Integer.toString(ATTEMPTS));
      connection.rollback();
    }
  }
}
