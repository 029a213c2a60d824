package io.lampone.sql.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.TableGuard;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.phoenix.LamponePhoenix;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.phoenix.exception.SQLExceptionCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TPC-C by several terminals at once, and its consistency conditions. */
@Timeout(value = 6, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqlTpccIT {

  private static final int TERMINALS = 3;
  private static final Duration TIME = Duration.ofSeconds(20);
  private static final String PREFIX = "tpcc_";

  @TempDir Path folder;

  private static Connection connect(String address) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("phoenix.transactions.enabled", "true");
    Connection connection = DriverManager.getConnection("jdbc:phoenix:" + address, properties);
    connection.setAutoCommit(false);
    return connection;
  }

  private static SqlTpcc tpcc(Connection connection, long terminal) {
    return new SqlTpcc(connection, PREFIX, ", TRANSACTIONAL=true", 1, terminal);
  }

  /** Runs transactions until the time is over; returns how many of a kind were committed. */
  private static Map<SqlTpcc.Kind, Integer> work(String address, int terminal) throws SQLException {
    Map<SqlTpcc.Kind, Integer> committed = new EnumMap<>(SqlTpcc.Kind.class);
    SplittableRandom random = new SplittableRandom(terminal);
    long end = System.nanoTime() + TIME.toNanos();
    try (Connection connection = connect(address)) {
      SqlTpcc tpcc = tpcc(connection, terminal);
      while (System.nanoTime() < end) {
        SqlTpcc.Kind kind = SqlTpcc.any(random);
        try {
          if (tpcc.run(kind, random)) {
            committed.merge(kind, 1, Integer::sum);
          }
        } catch (SQLException e) {
          assertThat(e.getErrorCode())
              .as(e.getMessage())
              .isEqualTo(SQLExceptionCode.TRANSACTION_CONFLICT_EXCEPTION.getErrorCode());
          connection.rollback();
        }
      }
    }
    return committed;
  }

  @Test
  void theConditionsHoldAfterTerminalsHaveWorkedAtOnce_andALostRowIsFound() throws Exception {
    EmbeddedHBaseConfig config =
        EmbeddedHBaseConfig.builder(folder)
            .regionServers(1)
            .masterCoprocessor(TableGuard.class)
            .setting("phoenix.transactions.enabled", "true")
            .build();
    LamponePhoenix.install();
    try (EmbeddedLampone cluster = EmbeddedLampone.start(config)) {
      String address = cluster.hbase().zooKeeperConnectString();
      try (Connection connection = connect(address);
          Statement statement = connection.createStatement()) {
        SqlTpcc tpcc = tpcc(connection, 0);
        tpcc.prepare();
        assertThat(tpcc.violations()).isEmpty();

        Map<SqlTpcc.Kind, Integer> committed = inParallel(address);

        assertThat(committed).containsKeys(SqlTpcc.Kind.NEW_ORDER, SqlTpcc.Kind.PAYMENT);
        assertThat(tpcc.orders()).isEqualTo(committed.get(SqlTpcc.Kind.NEW_ORDER).longValue());
        assertThat(tpcc.violations()).isEmpty();
        for (SqlTpcc.Kind each : SqlTpcc.Kind.values()) {
          tpcc.run(each, new SplittableRandom(1));
        }
        assertThat(tpcc.violations()).isEmpty();

        statement.execute("DELETE FROM tpcc_order_line WHERE n = 3");
        statement.execute("UPSERT INTO tpcc_warehouse VALUES (1, 7)");
        connection.commit();
        assertThat(tpcc.violations()).anyMatch(each -> each.startsWith("1: w=1 ytd=7 "));
        assertThat(tpcc.violations()).anyMatch(each -> each.startsWith("4: "));
      }
    }
  }

  private static Map<SqlTpcc.Kind, Integer> inParallel(String address) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(TERMINALS);
    try {
      List<Future<Map<SqlTpcc.Kind, Integer>>> running = new ArrayList<>();
      for (int i = 1; i <= TERMINALS; i++) {
        int terminal = i;
        running.add(threads.submit(() -> work(address, terminal)));
      }
      Map<SqlTpcc.Kind, Integer> all = new EnumMap<>(SqlTpcc.Kind.class);
      for (Future<Map<SqlTpcc.Kind, Integer>> one : running) {
        one.get(3, TimeUnit.MINUTES).forEach((kind, count) -> all.merge(kind, count, Integer::sum));
      }
      return all;
    } finally {
      threads.shutdownNow();
    }
  }
}
