package io.lampone.faultlab.work.sql;

import io.lampone.checker.Operation;
import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeException;
import io.lampone.faultlab.work.Recorder;
import io.lampone.faultlab.work.StepKind;
import io.lampone.phoenix.LamponePhoenix;
import io.lampone.phoenix.SqlTimestamps;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Connection of one thread; records each transaction and each statement under autocommit. */
final class SqlSession {

  /** Code of a conflict, which leaves no trace. */
  private static final int CONFLICT = 523;

  private static final long CONNECT_PAUSE_MILLIS = 500;

  private final Connector connector;
  private final SqlBank bank;
  private final Recorder recorder;
  private @Nullable Connection connection;

  /** True once a commit of the present writes may have been requested. */
  private boolean invoked;

  /** Makes connections. */
  @FunctionalInterface
  interface Connector {
    Connection connect() throws SQLException;
  }

  /** Statements. */
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
    run(
        false,
        steps -> {
          body.run(steps);
          invoked = true;
          recorder.invoke(steps.operations());
          steps.commit();
        });
  }

  /** Reads a row under autocommit. */
  void read(long key) {
    run(true, steps -> steps.read(key));
  }

  /** Upserts a row under autocommit: on the fast path if its table has no index. */
  void write(long key, String branch, long value) {
    run(
        true,
        steps -> {
          invoked = true;
          List<Operation> writes = List.of(new Operation.Write(Long.toString(key), value));
          if (SqlBank.hasIndex(key)) {
            recorder.invoke(writes);
          } else {
            recorder.invokeFast(writes);
          }
          steps.write(key, branch, value);
        });
  }

  private void run(boolean autocommit, Body body) {
    Connection sql = connected(autocommit);
    if (sql == null) {
      return;
    }
    recorder.begin(StepKind.SQL);
    invoked = false;
    SqlSteps steps = new SqlSteps(sql, bank, recorder::violation);
    try {
      body.run(steps);
      if (!invoked) {
        recorder.invoke(steps.operations());
      }
      SqlTimestamps at = LamponePhoenix.timestamps(sql);
      if (at.start() == 0) {
        if (autocommit) {
          recorder.byFastPath();
        } else {
          recorder.violation("sql: an explicit transaction without a snapshot");
        }
      }
      recorder.ok(steps.operations(), "", at.start(), at.commit());
    } catch (SQLException e) {
      failed(e, steps);
      rollback(sql);
    } catch (RuntimeException e) {
      // Phoenix tells failed reads of index maintenance so.
      if (!(e.getCause() instanceof IOException)) {
        throw e;
      }
      failed(new SQLException(e), steps);
      rollback(sql);
    }
  }

  private void rollback(Connection sql) {
    try {
      sql.rollback();
    } catch (SQLException e) {
      connection = null; // the next one is another
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

  /** Records a failure. One that is reported as a conflict must have left no trace. */
  private void failed(SQLException thrown, SqlSteps steps) {
    Exception told = told(thrown);
    boolean isConflict = thrown.getErrorCode() == CONFLICT;
    if (isConflict && told instanceof CommitOutcomeUnknownException) {
      recorder.violation("sql: an unknown outcome was told as a conflict: " + thrown);
    }
    if (!invoked) {
      recorder.invoke(steps.operations());
    }
    if (invoked && !isConflict) {
      recorder.commitThrew(told, "");
    } else {
      recorder.failed(told);
    }
  }

  /** Returns Lampone's failure inside one of Phoenix's, or that one. */
  private static Exception told(SQLException thrown) {
    for (Throwable each = thrown; each != null; each = each.getCause()) {
      if (each instanceof LamponeException found) {
        return found;
      }
      for (Throwable beside : each.getSuppressed()) {
        if (beside instanceof LamponeException found) {
          return found;
        }
      }
    }
    return thrown;
  }
}
