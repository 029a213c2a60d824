package io.lampone.phoenix;

import static io.lampone.phoenix.SqlCluster.Sql.query;
import static io.lampone.phoenix.SqlCluster.Sql.update;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.embedded.EmbeddedHBase;
import io.lampone.phoenix.SqlCluster.Sql;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * SQL while regions move and split and a region server dies: no audit of the bank sees another sum,
 * by the table or by its index, and no reader of a counter under autocommit sees less than what was
 * acknowledged before.
 */
@Tag("own-jvm")
class SqlFaultsIT {

  private static final long SEED = new Random().nextLong();
  private static final int SERVERS = 3;
  private static final int ACCOUNTS = 20;
  private static final int COUNTERS = 4;
  private static final long OPENING = 100;
  private static final long CALM_MILLIS = 3_000;
  private static final int MOVES = 6;

  /** How long a fault may take on a busy machine. */
  private static final int FAULT_SECONDS = 120;

  private final Random random = new Random(SEED);
  private final Queue<String> problems = new ConcurrentLinkedQueue<>();
  private final AtomicLong transfers = new AtomicLong();
  private final AtomicLong audits = new AtomicLong();
  private final AtomicLong reads = new AtomicLong();

  /** Of each counter, the highest value whose write was acknowledged, and that was sent. */
  private final AtomicLong[] acknowledged = counters();

  private final AtomicLong[] sent = counters();
  private volatile boolean stopped;

  private static AtomicLong[] counters() {
    AtomicLong[] counters = new AtomicLong[COUNTERS];
    for (int i = 0; i < COUNTERS; i++) {
      counters[i] = new AtomicLong();
    }
    return counters;
  }

  @FunctionalInterface
  private interface Round {
    void run(Connection connection, Random random) throws SQLException;
  }

  @Test
  void nothingIsLostOrTorn() throws Exception {
    System.out.println("seed " + SEED);
    try (Sql sql = new Sql(SERVERS);
        Connection connection = sql.connect(true)) {
      create(connection);
      List<Thread> threads = new ArrayList<>();
      threads.add(start(sql, false, this::transfer));
      threads.add(start(sql, false, this::transfer));
      threads.add(start(sql, false, this::audit));
      threads.add(start(sql, true, this::count));
      threads.add(start(sql, true, this::look));
      attack(sql);
      stopped = true;
      for (Thread thread : threads) {
        thread.join(TimeUnit.MINUTES.toMillis(2));
        assertThat(thread.isAlive()).as(thread.getName()).isFalse();
      }

      assertThat(problems).isEmpty();
      assertThat(transfers.get()).isPositive();
      assertThat(audits.get()).isPositive();
      assertThat(reads.get()).isPositive();
      assertThat(LamponePhoenix.metrics(connection).fastWrites()).isPositive();
      for (int i = 0; i < COUNTERS; i++) {
        assertThat(value(connection, i)).isBetween(acknowledged[i].get(), sent[i].get());
      }
      assertThat(query(connection, "SELECT \":ID\", \"0:BALANCE\" FROM bank_x ORDER BY 1"))
          .hasSize(ACCOUNTS)
          .isEqualTo(query(connection, "SELECT /*+ NO_INDEX */ id, balance FROM bank ORDER BY id"));
    }
  }

  private static void create(Connection connection) throws SQLException {
    update(
        connection,
        "CREATE TABLE bank (id INTEGER NOT NULL PRIMARY KEY, branch VARCHAR, balance BIGINT)"
            + " TRANSACTIONAL=true SPLIT ON (10)");
    update(connection, "CREATE INDEX bank_x ON bank (branch) INCLUDE (balance)");
    update(
        connection,
        "CREATE TABLE counters (id INTEGER NOT NULL PRIMARY KEY, n BIGINT) TRANSACTIONAL=true"
            + " SPLIT ON (2)");
    for (int id = 0; id < ACCOUNTS; id++) {
      update(connection, "UPSERT INTO bank VALUES (" + id + ", 'b" + id % 3 + "', 100)");
    }
    for (int id = 0; id < COUNTERS; id++) {
      update(connection, "UPSERT INTO counters VALUES (" + id + ", 0)");
    }
  }

  private Thread start(Sql sql, boolean autocommit, Round round) {
    Random own = new Random(random.nextLong());
    Thread thread =
        new Thread(
            () -> {
              while (!stopped) {
                try (Connection connection = sql.connect(autocommit)) {
                  while (!stopped) {
                    round.run(connection, own);
                  }
                } catch (SQLException e) {
                  // A conflict, or a fault that lasted too long: with another connection.
                } catch (RuntimeException e) {
                  problems.add(e.toString());
                }
              }
            },
            "client-" + own.nextInt(1_000));
    thread.start();
    return thread;
  }

  /** Also changes the indexed column, so that index rows come and go. */
  private void transfer(Connection connection, Random own) throws SQLException {
    int from = own.nextInt(ACCOUNTS);
    int to = (from + 1 + own.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
    try {
      long ofFrom = balance(connection, from);
      long ofTo = balance(connection, to);
      String branch = "'b" + own.nextInt(3) + "'";
      update(
          connection, "UPSERT INTO bank VALUES (" + from + "," + branch + "," + (ofFrom - 1) + ")");
      update(connection, "UPSERT INTO bank (id, balance) VALUES (" + to + ", " + (ofTo + 1) + ")");
      connection.commit();
      transfers.incrementAndGet();
    } catch (SQLException e) {
      connection.rollback();
    }
  }

  private static long balance(Connection connection, int id) throws SQLException {
    return number(connection, "SELECT balance FROM bank WHERE id = " + id);
  }

  private void audit(Connection connection, Random own) throws SQLException {
    long byTable = number(connection, "SELECT /*+ NO_INDEX */ SUM(balance) FROM bank");
    long byIndex = number(connection, "SELECT SUM(\"0:BALANCE\") FROM bank_x");
    connection.commit();
    if (byTable != ACCOUNTS * OPENING || byIndex != byTable) {
      problems.add("an audit saw " + byTable + " by the table, " + byIndex + " by the index");
    }
    audits.incrementAndGet();
  }

  /** One thread writes all counters, so their values are ordered. */
  private void count(Connection connection, Random own) throws SQLException {
    int counter = own.nextInt(COUNTERS);
    long next = sent[counter].incrementAndGet();
    update(connection, "UPSERT INTO counters VALUES (" + counter + ", " + next + ")");
    acknowledged[counter].set(next);
  }

  private void look(Connection connection, Random own) throws SQLException {
    int counter = own.nextInt(COUNTERS);
    long least = acknowledged[counter].get();
    long seen = value(connection, counter);
    long most = sent[counter].get();
    if (seen < least || seen > most) {
      problems.add(
          "a read saw " + seen + " where " + least + " was acknowledged and " + most + " sent");
    }
    reads.incrementAndGet();
  }

  private static long value(Connection connection, int counter) throws SQLException {
    return number(connection, "SELECT n FROM counters WHERE id = " + counter);
  }

  private static long number(Connection connection, String query) throws SQLException {
    return Long.parseLong(query(connection, query).get(0));
  }

  private void attack(Sql sql) throws IOException, InterruptedException {
    EmbeddedHBase hbase = sql.cluster().hbase();
    List<TableName> tables =
        List.of(
            TableName.valueOf("BANK"), TableName.valueOf("BANK_X"), TableName.valueOf("COUNTERS"));
    try (org.apache.hadoop.hbase.client.Connection plain =
            ConnectionFactory.createConnection(sql.cluster().configuration());
        Admin admin = plain.getAdmin()) {
      TimeUnit.MILLISECONDS.sleep(CALM_MILLIS);
      for (int i = 0; i < MOVES; i++) {
        TableName table = tables.get(i % tables.size());
        List<RegionInfo> regions = admin.getRegions(table);
        RegionInfo region = regions.get(random.nextInt(regions.size()));
        hbase.moveRegion(region, random.nextInt(SERVERS));
        TimeUnit.MILLISECONDS.sleep(CALM_MILLIS / MOVES);
      }
      admin.split(tables.get(1), "b1".getBytes(StandardCharsets.UTF_8));
      for (int i = 0; i < FAULT_SECONDS && admin.getRegions(tables.get(1)).size() == 1; i++) {
        TimeUnit.SECONDS.sleep(1);
      }
      assertThat(admin.getRegions(tables.get(1))).hasSizeGreaterThan(1);
      TimeUnit.MILLISECONDS.sleep(CALM_MILLIS);
      List<RegionInfo> counters = admin.getRegions(tables.get(2));
      int dying = hbase.regionServerOf(counters.get(0));
      hbase.killRegionServer(dying);
      for (TableName table : tables) {
        hbase.waitUntilAssigned(table);
      }
      long before = reads.get() + transfers.get();
      for (int i = 0; i < FAULT_SECONDS && reads.get() + transfers.get() < before + 100; i++) {
        TimeUnit.SECONDS.sleep(1);
      }
      assertThat(reads.get() + transfers.get()).as("work after the faults").isGreaterThan(before);
      TimeUnit.MILLISECONDS.sleep(CALM_MILLIS);
    }
  }
}
