package io.lampone.faultlab.work.sql;

import io.lampone.faultlab.event.EventCounts;
import io.lampone.faultlab.work.BankWorkload;
import io.lampone.faultlab.work.LabClientSession;
import io.lampone.faultlab.work.LabWorkload;
import io.lampone.phoenix.LamponePhoenix;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A bank in SQL. Transfers change balances and, in some cases, the indexed column, so that index
 * rows come and go; readers read all accounts by the table and by the index in one snapshot; and
 * statements under autocommit read and write single rows, with and without an index.
 */
public final class SqlBankWorkload implements LabWorkload {

  private static final int OF = 20;
  private static final int LARGEST_AMOUNT = 50;
  private static final int BRANCHES = 256;

  /** One of so many transfers reads all accounts, its own writes among them, before it commits. */
  private static final int TRANSFER_READS_IN = 10;

  /** One of so many rows that are written as a whole in a transaction is deleted first. */
  private static final int DELETED_IN = 4;

  private final SqlSession.Connector connector;
  private final Map<LabClientSession, SqlSession> sessions = new ConcurrentHashMap<>();

  /** One of the connections, which share a client; null until there is one. */
  private volatile @Nullable Connection any;

  /**
   * @param site hbase-site.xml of the cluster
   */
  public SqlBankWorkload(Path site) {
    this.connector = () -> SqlConnections.connect(site);
  }

  @Override
  public void step(LabClientSession session) {
    SqlSession sql =
        sessions.computeIfAbsent(
            session,
            one -> new SqlSession(this::connect, SqlBank.of(one.tables()), one.recorder()));
    RandomGenerator random = session.random();
    switch (random.nextInt(OF)) {
      case 0, 1, 2, 3 -> sql.transaction(SqlSteps::readAccounts);
      case 4, 5, 6 -> {
        long key = SqlBank.register(random.nextInt(SqlBank.REGISTERS));
        sql.write(key, branch(random), session.stamps().value(random.nextInt(LARGEST_AMOUNT)));
      }
      case 7, 8 -> sql.read(SqlBank.register(random.nextInt(SqlBank.REGISTERS)));
      case 9 -> sql.read(SqlBank.account(random.nextInt(SqlBank.ACCOUNTS)));
      case 10, 11 -> {
        long key = SqlBank.account(SqlBank.MOVING + random.nextInt(SqlBank.IDLE));
        long value = session.stamps().value(BankWorkload.OPENING_BALANCE);
        sql.write(key, branch(random), value);
      }
      case 12 -> sql.transaction(steps -> change(session, steps));
      default -> sql.transaction(steps -> transfer(session, steps));
    }
  }

  private Connection connect() throws SQLException {
    Connection made = connector.connect();
    any = made;
    return made;
  }

  /** Rewrites two registers, one of which may be written under autocommit meanwhile. */
  private static void change(LabClientSession session, SqlSteps steps) throws SQLException {
    RandomGenerator random = session.random();
    int first = random.nextInt(SqlBank.REGISTERS);
    int second = (first + 1 + random.nextInt(SqlBank.REGISTERS - 1)) % SqlBank.REGISTERS;
    for (int number : List.of(first, second)) {
      long key = SqlBank.register(number);
      steps.read(key);
      mayDelete(random, steps, key);
      steps.write(key, branch(random), session.stamps().value(random.nextInt(LARGEST_AMOUNT)));
    }
  }

  private static void transfer(LabClientSession session, SqlSteps steps) throws SQLException {
    RandomGenerator random = session.random();
    int from = random.nextInt(SqlBank.MOVING);
    int to = (from + 1 + random.nextInt(SqlBank.MOVING - 1)) % SqlBank.MOVING;
    List<Long> payer = steps.read(SqlBank.account(from));
    List<Long> payee = steps.read(SqlBank.account(to));
    long amount = Math.min(BankWorkload.balance(payer), random.nextInt(LARGEST_AMOUNT));
    put(session, steps, from, payer, -amount);
    put(session, steps, to, payee, amount);
    if (random.nextInt(TRANSFER_READS_IN) == 0) {
      steps.readAccounts();
    }
  }

  private static void put(
      LabClientSession session, SqlSteps steps, int account, List<Long> before, long added)
      throws SQLException {
    long key = SqlBank.account(account);
    long value = session.stamps().value(BankWorkload.balance(before) + added);
    boolean moves = before.isEmpty() || session.random().nextBoolean();
    if (moves) {
      mayDelete(session.random(), steps, key);
    }
    steps.write(key, moves ? branch(session.random()) : "", value);
  }

  /** Deletes a row in some cases, before the same transaction writes it again. */
  private static void mayDelete(RandomGenerator random, SqlSteps steps, long key)
      throws SQLException {
    if (random.nextInt(DELETED_IN) == 0) {
      steps.delete(key);
    }
  }

  private static String branch(RandomGenerator random) {
    return String.format(Locale.ROOT, "%02x", random.nextInt(BRANCHES));
  }

  @Override
  public EventCounts events() {
    Connection known = any;
    try {
      return known == null ? EventCounts.NONE : EventCounts.of(LamponePhoenix.metrics(known));
    } catch (SQLException e) {
      return EventCounts.NONE;
    }
  }
}
