package io.lampone.client;

import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.jspecify.annotations.Nullable;

/**
 * Failure of a transaction. An {@link java.io.IOException}, as HBase's {@code Table} requires, of a
 * kind that HBase itself never retries.
 */
public class LamponeException extends DoNotRetryIOException {

  private static final long serialVersionUID = 1L;

  private final Code code;
  private final long startTimestamp;

  /** Stable codes, on which scripts and dashboards may rely. A code is never reused. */
  public enum Code {
    /** A conflicting transaction committed first. */
    CONFLICT("LP-101", RetryAdvice.NEW_TRANSACTION),
    /** Aborted by a reader that found it abandoned, or by a failover. */
    ABORTED("LP-102", RetryAdvice.NEW_TRANSACTION),
    /** The transaction exceeded its timeout. */
    TIMEOUT("LP-103", RetryAdvice.NEW_TRANSACTION),
    /** The snapshot is older than the retention. */
    SNAPSHOT_TOO_OLD("LP-104", RetryAdvice.NEW_TRANSACTION),
    /** A fast-path write was blocked by undecided intents until its timeout. */
    BLOCKED("LP-105", RetryAdvice.NEW_TRANSACTION),
    /** The outcome of the commit could not be determined. */
    OUTCOME_UNKNOWN("LP-201", RetryAdvice.ASK_STATUS),
    /** No transaction manager answered. */
    MANAGER_UNAVAILABLE("LP-301", RetryAdvice.NEW_TRANSACTION),
    /** HBase did not answer, or not in time. */
    STORE_UNAVAILABLE("LP-302", RetryAdvice.NEW_TRANSACTION),
    /**
     * Client, transaction manager and coprocessor are incompatible or do not authenticate each
     * other, or a hook of the coprocessor failed.
     */
    INCOMPATIBLE("LP-303", RetryAdvice.NEVER),
    /**
     * The request is invalid (reserved names, explicit timestamps, nulls, sizes), or HBase denies
     * it to this user.
     */
    BAD_REQUEST("LP-401", RetryAdvice.NEVER),
    /**
     * The table is missing, not enabled for transactions, being changed, or disabled in HBase; or
     * its fast path is disabled; or the table of a commit entry no longer exists.
     */
    TABLE_NOT_TRANSACTIONAL("LP-402", RetryAdvice.NEVER),
    /** The transaction has ended, or is used by two threads concurrently. */
    ILLEGAL_USE("LP-403", RetryAdvice.NEVER),
    /** A named limit is exceeded. */
    TOO_LARGE("LP-404", RetryAdvice.NEVER),
    /** The stored data cannot have been written by Lampone. */
    CORRUPT("LP-501", RetryAdvice.NEVER);

    private final String id;
    private final RetryAdvice advice;

    Code(String id, RetryAdvice advice) {
      this.id = id;
      this.advice = advice;
    }

    /** Returns the stable text, {@code LP-nnn}. */
    public String id() {
      return id;
    }

    /** Returns the advice for applications. */
    public RetryAdvice advice() {
      return advice;
    }
  }

  public LamponeException(Code code, long startTimestamp, String message) {
    super(code.id() + " " + message);
    this.code = code;
    this.startTimestamp = startTimestamp;
  }

  public LamponeException(
      Code code, long startTimestamp, @Nullable String message, @Nullable Throwable cause) {
    super(code.id() + " " + message, cause);
    this.code = code;
    this.startTimestamp = startTimestamp;
  }

  /** Returns the code of the failure. */
  public final Code code() {
    return code;
  }

  /** Returns the advice for applications. */
  public final RetryAdvice retryAdvice() {
    return code.advice();
  }

  /** Returns the transaction's start timestamp, or 0 if it had none yet. */
  public final long startTimestamp() {
    return startTimestamp;
  }
}
