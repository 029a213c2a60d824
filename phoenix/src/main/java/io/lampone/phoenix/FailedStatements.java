package io.lampone.phoenix;

import java.io.IOException;
import java.sql.SQLException;
import org.apache.phoenix.exception.SQLExceptionCode;

/**
 * Statements of a transaction that have failed under autocommit, of which Phoenix does not tell: if
 * another one begins in the same transaction, the one before has not been committed. What it has
 * written must not be committed with the next one.
 */
final class FailedStatements {

  /** True if a statement has begun under autocommit. */
  private boolean isOpen;

  /** True if a statement without autocommit belongs to the transaction. */
  private boolean keepsOthers;

  private boolean hasFailed;

  /** Forgets all: another transaction has begun. */
  void begun() {
    isOpen = false;
    keepsOthers = false;
    hasFailed = false;
  }

  /** Takes note of a statement that begins, and returns its transaction. */
  SqlTransaction next(SqlTransaction transaction, SqlCatalogue catalogue) {
    SqlTransaction next =
        isOpen ? transaction.renewed(catalogue.isUnsent(), keepsOthers) : transaction;
    hasFailed |= next != transaction;
    isOpen = catalogue.isAutoCommit();
    keepsOthers |= !isOpen;
    return next;
  }

  /**
   * Returns the exception for a commit that has failed. Phoenix repeats conflicts by itself, and
   * would send rows of a failed statement with the others.
   */
  SQLException failureOfCommit(IOException failure) {
    return hasFailed
        ? SqlFailures.of(failure, SQLExceptionCode.TRANSACTION_FAILED)
        : SqlFailures.of(failure);
  }
}
