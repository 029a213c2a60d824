package io.lampone.phoenix;

import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Set;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.phoenix.exception.SQLExceptionCode;
import org.apache.phoenix.exception.SQLExceptionInfo;

/** Conversion of what goes wrong in a transaction to what applications of JDBC know. */
final class SqlFailures {

  private SqlFailures() {}

  /**
   * The exception for applications. What a new transaction may cure, and left no trace, is 523:
   * Phoenix itself may repeat that. An unknown outcome is never 523.
   */
  static SQLException of(IOException failure) {
    return of(failure, code(failure));
  }

  static SQLException of(IOException failure, SQLExceptionCode code) {
    return new SQLExceptionInfo.Builder(code)
        .setMessage(failure.getMessage())
        .setRootCause(failure)
        .build()
        .buildException();
  }

  /** Returns the failure of a context that has no transaction. */
  static SQLException noTransaction() {
    return new SQLExceptionInfo.Builder(SQLExceptionCode.NULL_TRANSACTION_CONTEXT)
        .build()
        .buildException();
  }

  /**
   * The same inside of Phoenix's calls of HBase: it reads the code from the message of the deepest
   * cause.
   */
  static IOException told(IOException failure) {
    if (!(failure instanceof LamponeException)) {
      return failure;
    }
    IOException told = new DoNotRetryIOException(of(failure).getMessage());
    told.addSuppressed(failure);
    return told;
  }

  private static SQLExceptionCode code(IOException failure) {
    if (failure instanceof LamponeException known) {
      switch (known.code()) {
        case CONFLICT, ABORTED, SNAPSHOT_TOO_OLD, BLOCKED -> {
          return SQLExceptionCode.TRANSACTION_CONFLICT_EXCEPTION;
        }
        default -> {}
      }
    }
    return SQLExceptionCode.TRANSACTION_FAILED;
  }

  /** Returns the failure of a statement that may not know all indexes of one of the tables. */
  static LamponeException newIndex(Set<TableName> tables) {
    return new LamponeException(
        Code.ABORTED,
        0,
        "an index was added to the table after the transaction had begun: run it again, table="
            + tables);
  }

  /** Returns the failure of writes that Phoenix sends again on its own. */
  static LamponeException repeated(TableName table) {
    return new LamponeException(
        Code.ABORTED,
        0,
        "a conflict: run the transaction again from its first statement, table=" + table);
  }

  /** Returns the failure of a statement with which rows of one that has failed would be written. */
  static LamponeException unsent() {
    return new LamponeException(
        Code.ILLEGAL_USE,
        0,
        "rows of a statement that has failed were left, and are dropped now with all that was not"
            + " committed: run this one again");
  }

  /** Returns the failure of a statement of which two parts write a row at the same time. */
  static LamponeException writtenTwice() {
    return new LamponeException(
        Code.ILLEGAL_USE,
        0,
        "threads of the statement write the same row of a table with an index: select each key once");
  }
}
