package io.lampone.sql.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.benchmarks.oltp.Terminal;
import io.lampone.benchmarks.smallbank.SmallBank;
import io.lampone.benchmarks.smallbank.SmallBankWork;
import io.lampone.benchmarks.tatp.Tatp;
import io.lampone.benchmarks.tatp.TatpWork;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.coprocessor.TableGuard;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.phoenix.LamponePhoenix;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.phoenix.exception.SQLExceptionCode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * TPC-C, SmallBank and TATP by several terminals at once, and their consistency conditions; also
 * after a row was changed by hand.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqlOltpIT {

  private static final long SEED = Long.getLong("lampone.test.seed", System.nanoTime());
  private static final String TRANSACTIONAL = ", TRANSACTIONAL=true";

  /** Attempts of a transaction: conflicts are many, as the rows are few. */
  @TempDir private static Path folder;

  private static EmbeddedLampone cluster;

  /** Transactions that were repeated after a conflict. */
  private final LongAdder conflicts = new LongAdder();

  /** Transaction of one terminal; its inputs are chosen. */
  @FunctionalInterface
  private interface Work {

    /** Runs it to its end; returns false if it was rolled back by itself. */
    boolean run() throws SQLException;
  }

  /** Terminal that runs transactions. */
  @FunctionalInterface
  private interface Run {

    /** Returns how many of each type were committed. */
    Map<String, Integer> run(Terminal terminal) throws SQLException;
  }

  @BeforeAll
  static void start() throws Exception {
    System.out.println("lampone.test.seed=" + SEED);
    LamponePhoenix.install();
    cluster =
        EmbeddedLampone.start(
            EmbeddedHBaseConfig.builder(folder)
                .regionServers(1)
                .masterCoprocessor(TableGuard.class)
                .setting("phoenix.transactions.enabled", "true")
                .build());
    connect().close(); // the first one makes Phoenix's catalogue
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("phoenix.transactions.enabled", "true");
    Connection connection =
        DriverManager.getConnection(
            "jdbc:phoenix:" + cluster.hbase().zooKeeperConnectString(), properties);
    connection.setAutoCommit(false);
    return connection;
  }

  private static void change(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
    connection.commit();
  }

  /** Runs a transaction until it does not conflict. */
  private boolean untilDone(Connection connection, Work work) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      try {
        return work.run();
      } catch (SQLException e) {
        assertThat(e.getErrorCode())
            .as("seed %d attempt %d: %s", SEED, attempt, e.getMessage())
            .isEqualTo(SQLExceptionCode.TRANSACTION_CONFLICT_EXCEPTION.getErrorCode());
        conflicts.increment();
        connection.rollback();
      }
    }
  }

  private static Map<String, Integer> inParallel(int terminals, Run run) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(terminals);
    try {
      SplittableRandom seeds = new SplittableRandom(SEED);
      List<Future<Map<String, Integer>>> running = new ArrayList<>();
      for (int i = 1; i <= terminals; i++) {
        Terminal terminal = new Terminal(i, seeds.split());
        running.add(threads.submit(() -> run.run(terminal)));
      }
      Map<String, Integer> all = new TreeMap<>();
      for (Future<Map<String, Integer>> one : running) {
        one.get(10, TimeUnit.MINUTES)
            .forEach((type, count) -> all.merge(type, count, Integer::sum));
      }
      return all;
    } finally {
      threads.shutdownNow();
    }
  }

  private static void deleteFirst(String index) throws IOException {
    try (LamponeClient client = LamponeClient.connect(cluster.clientConfiguration());
        Transaction transaction = client.begin()) {
      Table table = transaction.table(index);
      try (ResultScanner rows = table.getScanner(new Scan().setLimit(1))) {
        table.delete(new Delete(rows.next().getRow()));
      }
      transaction.commit();
    }
  }

  private static SqlTpcc tpcc(Connection connection, long terminal) {
    return new SqlTpcc(connection, "tpcc_", TRANSACTIONAL, 1, terminal);
  }

  @Test
  void tpcc() throws Exception {
    try (Connection connection = connect()) {
      SqlTpcc tpcc = tpcc(connection, 0);
      tpcc.prepare();
      assertThat(tpcc.violations()).isEmpty();

      Map<String, Integer> committed = inParallel(3, this::tpcc);

      assertThat(committed).containsKeys("NEW_ORDER", "PAYMENT");
      assertThat(tpcc.orders()).isEqualTo(committed.get("NEW_ORDER").longValue());
      assertThat(tpcc.violations()).as("seed %d", SEED).isEmpty();
      for (SqlTpcc.Kind each : SqlTpcc.Kind.values()) {
        tpcc.run(each, new SplittableRandom(1));
      }
      assertThat(tpcc.violations()).isEmpty();

      change(
          connection,
          "DELETE FROM tpcc_order_line WHERE n = 3",
          "UPSERT INTO tpcc_warehouse VALUES (1, 7)");
      assertThat(tpcc.violations()).anyMatch(each -> each.startsWith("1: w=1 ytd=7 "));
      assertThat(tpcc.violations()).anyMatch(each -> each.startsWith("4: "));
    }
  }

  private Map<String, Integer> tpcc(Terminal terminal) throws SQLException {
    Map<String, Integer> committed = new TreeMap<>();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    try (Connection connection = connect()) {
      SqlTpcc tpcc = tpcc(connection, terminal.number());
      while (System.nanoTime() < end
          || !committed.keySet().containsAll(List.of("NEW_ORDER", "PAYMENT"))) {
        SqlTpcc.Kind kind = SqlTpcc.any(terminal.random());
        if (untilDone(connection, () -> tpcc.run(kind, terminal.random()))) {
          committed.merge(kind.name(), 1, Integer::sum);
        }
      }
    }
    return committed;
  }

  @Test
  void smallBank_alsoByAnIndexOfBalances() throws Exception {
    SmallBank bank = new SmallBank(20);
    try (Connection connection = connect()) {
      SqlSmallBank checked = new SqlSmallBank(connection, bank, "sb_", TRANSACTIONAL);
      checked.prepare();
      checked.prepareIndex();
      assertThat(checked.violations()).isEmpty();

      Map<String, Integer> committed = inParallel(4, terminal -> smallBank(bank, terminal));

      assertThat(committed).as("seed %d", SEED).containsOnlyKeys(bank.types());
      assertThat(conflicts.sum()).as("seed %d", SEED).isPositive();
      assertThat(checked.violations()).as("seed %d", SEED).isEmpty();

      change(connection, "UPSERT INTO sb_savings SELECT custid, bal + 1 FROM sb_savings LIMIT 1");
      assertThat(checked.violations()).anyMatch(each -> each.startsWith("money was made or lost"));
      deleteFirst("SB_BY_BALANCE");
      assertThat(checked.violations()).anyMatch(each -> each.startsWith("an index differs"));
      change(connection, "DELETE FROM sb_checking WHERE custid = 3");
      assertThat(checked.violations()).anyMatch(each -> each.startsWith("accounts are missing"));
    }
  }

  private Map<String, Integer> smallBank(SmallBank bank, Terminal terminal) throws SQLException {
    Map<String, Integer> committed = new TreeMap<>();
    try (Connection connection = connect()) {
      SqlSmallBank tables = new SqlSmallBank(connection, bank, "sb_", TRANSACTIONAL);
      for (int i = 0; i < 40; i++) {
        SmallBankWork work = bank.next(terminal);
        if (untilDone(connection, () -> tables.run(work))) {
          committed.merge(work.type(), 1, Integer::sum);
        }
      }
    }
    return committed;
  }

  @Test
  void tatp_singleStatementsUnderAutocommit() throws Exception {
    Tatp register = new Tatp(20);
    try (Connection connection = connect()) {
      SqlTatp checked = new SqlTatp(connection, register, "tatp_", TRANSACTIONAL);
      checked.prepare();
      assertThat(checked.violations()).isEmpty();

      Map<String, Integer> committed = inParallel(4, terminal -> tatp(register, terminal));

      assertThat(committed).as("seed %d", SEED).containsOnlyKeys(register.types());
      assertThat(checked.violations()).as("seed %d", SEED).isEmpty();

      change(connection, "UPSERT INTO tatp_call_forwarding VALUES (1, 5, 8, 9, 'x')");
      assertThat(checked.violations())
          .anyMatch(each -> each.startsWith("a forwarding without its facility"))
          .anyMatch(each -> each.startsWith("forwardings="));
      change(connection, "UPSERT INTO tatp_subscriber (s_id, hex) VALUES (7, NULL)");
      assertThat(checked.violations())
          .anyMatch(each -> each.equals("subscribers=19 numbers=20"))
          .anyMatch(each -> each.startsWith("a facility without its subscriber"));
    }
  }

  private Map<String, Integer> tatp(Tatp register, Terminal terminal) throws SQLException {
    Map<String, Integer> committed = new TreeMap<>();
    try (Connection explicit = connect();
        Connection automatic = connect()) {
      automatic.setAutoCommit(true);
      SqlTatp ofSeveral = new SqlTatp(explicit, register, "tatp_", TRANSACTIONAL);
      SqlTatp ofOne = new SqlTatp(automatic, register, "tatp_", TRANSACTIONAL);
      for (int i = 0; i < 600; i++) {
        TatpWork work = register.next(terminal);
        if (i >= 100 && work.isOneStatement()) {
          continue; // they are most transactions, and cannot be seen in parts
        }
        boolean one = work.isOneStatement();
        if (untilDone(one ? automatic : explicit, () -> (one ? ofOne : ofSeveral).run(work))) {
          committed.merge(work.type(), 1, Integer::sum);
        }
      }
    }
    return committed;
  }
}
