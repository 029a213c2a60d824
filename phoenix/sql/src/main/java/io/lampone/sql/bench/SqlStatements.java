package io.lampone.sql.bench;

import io.lampone.benchmarks.Latencies;
import io.lampone.benchmarks.oltp.Terminal;
import io.lampone.benchmarks.smallbank.SmallBank;
import io.lampone.benchmarks.tatp.Tatp;
import io.lampone.benchmarks.tatp.TatpWork;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/** Tables and statements of one system. For one thread. */
final class SqlStatements {

  static final int BATCH = 1_000;

  private static final String ROWS = "ROWS";
  private static final String INDEXED = "INDEXED";
  private static final String INDEX = "BY_OWNER";

  /** Written once, and then compacted. */
  private static final String COUNTED = "COUNTED";

  private static final int WAREHOUSES = 2;

  /** Customers of SmallBank, and subscribers of TATP: at most, and one for so many rows. */
  private static final int MOST_CUSTOMERS = 1_000;

  private static final int ROWS_OF_CUSTOMER = 4;

  private static final int OWNERS = 1_000;
  private static final int BALANCES = 1_000_000;

  /** One in so many operations of a slice, the first ones, is not measured: caches are found. */
  private static final int SETTLING = 10;

  private final SqlSystem system;
  private final int rows;
  private final Clock clock;
  private final Connection automatic;
  private final Connection explicit;
  private final PreparedStatement read;
  private final SqlTpcc tpcc;
  private final SmallBank bank;
  private final SqlSmallBank smallBank;
  private final Tatp register;

  /** TATP's transactions of one statement, which commits by itself. */
  private final SqlTatp automaticTatp;

  private final SqlTatp tatp;
  private final Map<SqlWorkload, PreparedStatement> statements = new EnumMap<>(SqlWorkload.class);

  /** Connects. */
  SqlStatements(SqlSystem system, String url, int rows, Clock clock) throws SQLException {
    this.system = system;
    this.rows = rows;
    this.clock = clock;
    this.automatic = DriverManager.getConnection(url);
    automatic.setAutoCommit(true);
    this.explicit = DriverManager.getConnection(url);
    explicit.setAutoCommit(false);
    Connection terminal = DriverManager.getConnection(url);
    terminal.setAutoCommit(false);
    this.tpcc =
        new SqlTpcc(
            terminal,
            system.table("TPCC_"),
            system.tableProperties(),
            WAREHOUSES,
            system.ordinal());
    int customers = Math.min(MOST_CUSTOMERS, rows / ROWS_OF_CUSTOMER);
    this.bank = new SmallBank(customers);
    this.register = new Tatp(customers);
    this.smallBank =
        new SqlSmallBank(terminal, bank, system.table("BANK_"), system.tableProperties());
    String ofTatp = system.table("TATP_");
    this.tatp = new SqlTatp(terminal, register, ofTatp, system.tableProperties());
    this.automaticTatp = new SqlTatp(automatic, register, ofTatp, system.tableProperties());
    String byKey = "SELECT balance FROM " + system.table(ROWS) + " WHERE id = ?";
    String write = "UPSERT INTO %s (id, balance) VALUES (?, ?)".formatted(system.table(ROWS));
    this.read = explicit.prepareStatement(byKey);
    statements.put(SqlWorkload.SELECT, automatic.prepareStatement(byKey));
    statements.put(SqlWorkload.UPSERT, automatic.prepareStatement(whole(ROWS)));
    statements.put(SqlWorkload.UPSERT_INDEXED, automatic.prepareStatement(whole(INDEXED)));
    statements.put(SqlWorkload.READ_MODIFY_WRITE, explicit.prepareStatement(write));
    statements.put(SqlWorkload.BATCH_INDEXED, explicit.prepareStatement(whole(INDEXED)));
    statements.put(
        SqlWorkload.COUNT,
        automatic.prepareStatement("SELECT COUNT(*) FROM " + system.table(COUNTED)));
  }

  /** Makes the tables and fills them. */
  void prepare() throws SQLException {
    create();
    fill();
    tpcc.prepare();
    smallBank.prepare();
    tatp.prepare();
  }

  private String whole(String table) {
    return "UPSERT INTO %s VALUES (?, ?, ?)".formatted(system.table(table));
  }

  /** Alike for all: names of columns as they are, and metadata that are not asked for again. */
  private void create() throws SQLException {
    try (Statement statement = automatic.createStatement()) {
      for (String table : List.of(COUNTED, ROWS, INDEXED)) {
        statement.execute(
            "CREATE TABLE "
                + system.table(table)
                + " (id BIGINT NOT NULL PRIMARY KEY, owner VARCHAR, balance BIGINT)"
                + " COLUMN_ENCODED_BYTES=0, UPDATE_CACHE_FREQUENCY='NEVER'"
                + system.tableProperties());
      }
      statement.execute(
          "CREATE INDEX "
              + system.table(INDEX)
              + " ON "
              + system.table(INDEXED)
              + " (owner) INCLUDE (balance)");
    }
  }

  private void fill() throws SQLException {
    SplittableRandom random = new SplittableRandom(rows);
    for (String table : List.of(COUNTED, ROWS, INDEXED)) {
      try (PreparedStatement upsert = explicit.prepareStatement(whole(table))) {
        for (int id = 0; id < rows; id++) {
          upsert(upsert, id, random);
          if ((id + 1) % BATCH == 0 || id + 1 == rows) {
            explicit.commit();
          }
        }
      }
    }
  }

  private static void upsert(PreparedStatement upsert, long id, SplittableRandom random)
      throws SQLException {
    upsert.setLong(1, id);
    upsert.setString(2, "owner-" + random.nextInt(OWNERS));
    upsert.setLong(3, random.nextInt(BALANCES));
    upsert.executeUpdate();
  }

  /** Puts the table that is counted to rest: returns when its one file is written. */
  void compact(Configuration configuration) throws IOException, InterruptedException {
    TableName table = TableName.valueOf(system.table(COUNTED));
    try (org.apache.hadoop.hbase.client.Connection connection =
            ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      admin.flush(table);
      admin.majorCompact(table);
      do {
        Thread.sleep(100); // the request is noted at once, and begins later
      } while (admin.getCompactionState(table) != CompactionState.NONE);
    }
  }

  /** Runs so many operations, which the seed decides, and returns the latencies of most of them. */
  Latencies run(SqlWorkload workload, int operations, long seed) throws SQLException {
    SplittableRandom random = new SplittableRandom(seed);
    Latencies latencies = new Latencies();
    for (int i = 0; i < operations; i++) {
      long begun = clock.monotonicNanos();
      once(workload, random);
      if (i >= operations / SETTLING) {
        latencies.record(clock.monotonicNanos() - begun);
      }
    }
    return latencies;
  }

  private void once(SqlWorkload workload, SplittableRandom random) throws SQLException {
    switch (workload) {
      case TPCC -> tpcc.tenthOfDeck(random);
      case SMALLBANK -> smallBank.run(bank.next(new Terminal(0, random)));
      case TATP -> {
        TatpWork work = register.next(new Terminal(0, random));
        (work.isOneStatement() ? automaticTatp : tatp).run(work);
      }
      default -> statement(workload, random);
    }
  }

  private void statement(SqlWorkload workload, SplittableRandom random) throws SQLException {
    PreparedStatement statement = Objects.requireNonNull(statements.get(workload));
    switch (workload) {
      case SELECT -> {
        statement.setLong(1, random.nextInt(rows));
        number(statement);
      }
      case UPSERT, UPSERT_INDEXED -> upsert(statement, random.nextInt(rows), random);
      case READ_MODIFY_WRITE -> {
        long id = random.nextInt(rows);
        read.setLong(1, id);
        statement.setLong(1, id);
        statement.setLong(2, number(read) + 1);
        statement.executeUpdate();
        explicit.commit();
      }
      case BATCH_INDEXED -> {
        int first = random.nextInt(rows);
        for (int i = 0; i < BATCH; i++) {
          upsert(statement, (first + i) % rows, random);
        }
        explicit.commit();
      }
      case COUNT -> {
        long counted = number(statement);
        if (counted != rows) {
          throw new SQLException("wrong count, rows=" + rows + " counted=" + counted);
        }
      }
      default -> throw new IllegalArgumentException("no statement, workload=" + workload);
    }
  }

  private static long number(PreparedStatement query) throws SQLException {
    try (ResultSet found = query.executeQuery()) {
      if (!found.next()) {
        throw new SQLException("a row is missing, query=" + query);
      }
      return found.getLong(1);
    }
  }

  /**
   * Returns sums over all rows and the index, which are equal where the rows are.
   *
   * @throws SQLException also if a consistency condition of a benchmark does not hold
   */
  String sums() throws SQLException {
    List<String> violations = new ArrayList<>(tpcc.violations());
    violations.addAll(smallBank.violations());
    violations.addAll(tatp.violations());
    if (!violations.isEmpty()) {
      throw new SQLException("conditions do not hold, violations=" + violations);
    }
    StringBuilder sums = new StringBuilder();
    String ofTable = "SELECT /*+ NO_INDEX */ COUNT(*), SUM(balance), SUM(id * balance) FROM ";
    for (String table : List.of(COUNTED, ROWS, INDEXED)) {
      sums.append(line(ofTable + system.table(table)));
    }
    String ofIndex = "SELECT COUNT(*), SUM(\"0:BALANCE\"), SUM(\":ID\" * \"0:BALANCE\") FROM ";
    return sums.append(line(ofIndex + system.table(INDEX)))
        .append("/orders=")
        .append(tpcc.orders())
        .toString();
  }

  private String line(String query) throws SQLException {
    try (Statement statement = automatic.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      found.next();
      return "/" + found.getLong(1) + "," + found.getLong(2) + "," + found.getLong(3);
    }
  }
}
