package io.lampone.faultlab.work.sql;

import io.lampone.checker.Operation;
import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeException;
import io.lampone.faultlab.work.Recorder;
import io.lampone.phoenix.LamponePhoenix;
import io.lampone.phoenix.SqlTimestamps;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Connection of one thread; records each transaction and each statement under autocommit. */
final class SqlSession {

  /** Code of a conflict, which leaves no trace. */
  private static final int CONFLICT = 523;

  private static final int DEEPEST = 20;
  private static final long CONNECT_PAUSE_MILLIS = 500;

  private final Connector connector;
  private final SqlBank bank;
  private final Recorder recorder;
  private @Nullable Connection connection;

  /** Makes connections. */
  @FunctionalInterface
  interface Connector {
    Connection connect() throws SQLException;
  }

  /** Statements between begin and commit. */
  @FunctionalInterface
  interface Body {
    void run(SqlSteps steps) throws SQLException;
  }

  SqlSession(Connector connector, SqlBank bank, Recorder recorder) {
    this.connector = connector;
    this.bank = bank;
    this.recorder = recorder;
  }

  /** Runs an explicit transaction. */
  void transaction(Body body) {
    Connection sql = connected(false);
    if (sql == null) {
      return;
    }
    recorder.begin();
    SqlSteps steps = new SqlSteps(sql, bank, recorder::violation);
    try {
      body.run(steps);
    } catch (SQLException e) {
      recorder.invoke(steps.operations());
      recorder.failed(told(e));
      rollback(sql);
      return;
    }
    recorder.invoke(steps.operations());
    try {
      sql.commit();
      SqlTimestamps at = LamponePhoenix.timestamps(sql);
      recorder.ok(steps.operations(), "", at.start(), at.commit(), false);
    } catch (SQLException e) {
      commitThrew(e);
      rollback(sql);
    }
  }

  /** Reads a row under autocommit. */
  void read(long key) {
    Connection sql = connected(true);
    if (sql == null) {
      return;
    }
    recorder.begin();
    SqlSteps steps = new SqlSteps(sql, bank, recorder::violation);
    try {
      steps.read(key);
      SqlTimestamps at = LamponePhoenix.timestamps(sql);
      recorder.invoke(steps.operations());
      recorder.ok(steps.operations(), "", at.start(), 0, at.start() == 0);
    } catch (SQLException e) {
      recorder.invoke(steps.operations());
      recorder.failed(told(e));
      rollback(sql);
    }
  }

  /**
   * Upserts a row under autocommit.
   *
   * @param fast whether its table has no index, so that the statement needs no transaction
   */
  void write(long key, String branch, long value, boolean fast) {
    Connection sql = connected(true);
    if (sql == null) {
      return;
    }
    recorder.begin();
    Operation.Write write = new Operation.Write(Long.toString(key), value);
    SqlSteps steps = new SqlSteps(sql, bank, recorder::violation);
    if (fast) {
      recorder.invokeFast(List.of(write));
    } else {
      recorder.invoke(List.of(write));
    }
    try {
      steps.write(key, branch, value);
      SqlTimestamps at = LamponePhoenix.timestamps(sql);
      recorder.ok(steps.operations(), "", at.start(), at.commit(), at.start() == 0);
    } catch (SQLException e) {
      commitThrew(e);
      rollback(sql);
    }
  }

  /** Returns the connection; null if there is none now, after a pause. */
  private @Nullable Connection connected(boolean autocommit) {
    try {
      Connection known = connection;
      if (known == null) {
        known = connector.connect();
        connection = known;
      }
      known.setAutoCommit(autocommit);
      return known;
    } catch (SQLException e) {
      System.err.println("not connected yet: " + e);
      connection = null;
      try {
        TimeUnit.MILLISECONDS.sleep(CONNECT_PAUSE_MILLIS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      return null;
    }
  }

  /** Ends the transaction of a statement that failed. */
  private void rollback(Connection sql) {
    try {
      sql.rollback();
    } catch (SQLException e) {
      connection = null;
    }
  }

  /** Records a failed commit. One that says conflict must have left no trace. */
  private void commitThrew(SQLException thrown) {
    Exception told = told(thrown);
    if (thrown.getErrorCode() == CONFLICT) {
      if (told instanceof CommitOutcomeUnknownException) {
        recorder.violation("sql: an unknown outcome was told as a conflict: " + thrown);
      }
      recorder.failed(told);
    } else {
      recorder.commitThrew(told, "");
    }
  }

  /** Returns Lampone's failure inside one of Phoenix's, or that one. */
  private static Exception told(SQLException thrown) {
    return find(thrown, DEEPEST).<Exception>map(found -> found).orElse(thrown);
  }

  private static Optional<LamponeException> find(@Nullable Throwable thrown, int depth) {
    if (thrown == null || depth == 0) {
      return Optional.empty();
    }
    if (thrown instanceof LamponeException found) {
      return Optional.of(found);
    }
    for (Throwable beside : thrown.getSuppressed()) {
      Optional<LamponeException> found = find(beside, depth - 1);
      if (found.isPresent()) {
        return found;
      }
    }
    return find(thrown.getCause(), depth - 1);
  }
}
