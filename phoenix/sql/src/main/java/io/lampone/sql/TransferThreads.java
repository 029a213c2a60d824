package io.lampone.sql;

import io.lampone.sql.AccountsTable.Sums;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.phoenix.exception.SQLExceptionCode;

/**
 * Threads that transfer, one that adds up by table and by index, and one that looks up balances
 * under autocommit, until they are stopped.
 */
final class TransferThreads {

  private static final long STOP_SECONDS = 60;

  /** Problems that are kept: more say no more. */
  private static final int MAX_PROBLEMS = 10;

  private final Connections connections;
  private final int accounts;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong transfers = new AtomicLong();
  private final AtomicLong aborts = new AtomicLong();
  private final AtomicLong audits = new AtomicLong();
  private final Queue<String> problems = new ConcurrentLinkedQueue<>();
  private volatile boolean stopped;

  /** Makes connections that do not commit by themselves. */
  @FunctionalInterface
  interface Connections {
    Connection open() throws SQLException;
  }

  /** Work of a thread, repeated. */
  @FunctionalInterface
  private interface Round {
    void run(Connection connection) throws SQLException;
  }

  TransferThreads(Connections connections, int accounts) {
    this.connections = connections;
    this.accounts = accounts;
  }

  void start(int writers, long seed) {
    for (int i = 0; i < writers; i++) {
      Random random = new Random(seed + i);
      start("sql-transfers-" + i, connection -> transfer(connection, random));
    }
    start("sql-audit", this::audit);
    Random random = new Random(seed + writers);
    start(
        "sql-look-ups",
        connection -> {
          connection.setAutoCommit(true);
          AccountsTable.balance(connection, random.nextInt(accounts));
        });
  }

  private void start(String name, Round round) {
    Thread thread = new Thread(() -> repeat(round), name);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private void repeat(Round round) {
    try (Connection connection = connections.open()) {
      while (!stopped) {
        try {
          round.run(connection);
        } catch (SQLException e) {
          connection.rollback();
          failed(e);
        }
      }
    } catch (SQLException e) {
      failed(e);
    }
  }

  private void transfer(Connection connection, Random random) throws SQLException {
    int from = random.nextInt(accounts);
    int to = (from + 1 + random.nextInt(accounts - 1)) % accounts;
    AccountsTable.transfer(connection, from, to, 1 + random.nextInt(10));
    connection.commit();
    transfers.incrementAndGet();
  }

  private void audit(Connection connection) throws SQLException {
    Sums sums = AccountsTable.sums(connection);
    connection.commit();
    audits.incrementAndGet();
    if (!sums.areOf(accounts)) {
      problem("an audit saw " + sums);
    }
  }

  private void failed(SQLException failure) {
    if (failure.getErrorCode() == SQLExceptionCode.TRANSACTION_CONFLICT_EXCEPTION.getErrorCode()) {
      aborts.incrementAndGet();
    } else {
      problem(String.valueOf(failure.getMessage()));
    }
  }

  private void problem(String text) {
    if (problems.size() < MAX_PROBLEMS) {
      problems.add(text);
    }
  }

  /** Returns when all threads have ended. */
  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(STOP_SECONDS));
      if (thread.isAlive()) {
        problem("a thread does not end, thread=" + thread.getName());
      }
    }
  }

  long transfers() {
    return transfers.get();
  }

  long aborts() {
    return aborts.get();
  }

  long audits() {
    return audits.get();
  }

  /** Returns the problems that were met. */
  List<String> problems() {
    return List.copyOf(problems);
  }
}
