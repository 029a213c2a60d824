package io.lampone.client;

import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.jspecify.annotations.Nullable;

/**
 * Everything that goes wrong in a transaction. An {@link java.io.IOException}, as HBase's {@code
 * Table} demands, and one that HBase itself never retries.
 */
public class LamponeException extends DoNotRetryIOException {

  private static final long serialVersionUID = 1L;

  private final Code code;
  private final long startTimestamp;

  /**
   * Stable codes: scripts and dashboards may rely on them. A code is never used for another thing.
   */
  public enum Code {
    /** Another transaction wrote the same and committed first. */
    CONFLICT("LP-101", RetryAdvice.NEW_TRANSACTION),
    /** Aborted by a reader that found it abandoned, or by a failover. */
    ABORTED("LP-102", RetryAdvice.NEW_TRANSACTION),
    /** Lived longer than its timeout. */
    TIMEOUT("LP-103", RetryAdvice.NEW_TRANSACTION),
    /** The snapshot is older than what the cluster keeps. */
    SNAPSHOT_TOO_OLD("LP-104", RetryAdvice.NEW_TRANSACTION),
    /** A fast-path write met undecided intents of regular transactions until its time was over. */
    BLOCKED("LP-105", RetryAdvice.NEW_TRANSACTION),
    /** Committed or not: nobody could say so far. */
    OUTCOME_UNKNOWN("LP-201", RetryAdvice.ASK_STATUS),
    /** No transaction manager answered. */
    MANAGER_UNAVAILABLE("LP-301", RetryAdvice.NEW_TRANSACTION),
    /** HBase did not answer, or not in time. */
    STORE_UNAVAILABLE("LP-302", RetryAdvice.NEW_TRANSACTION),
    /**
     * Client, transaction manager and coprocessor do not fit together, or do not believe each
     * other, or a hook of the coprocessor failed.
     */
    INCOMPATIBLE("LP-303", RetryAdvice.NEVER),
    /** The request makes no sense: reserved names, timestamps of the user's own, nulls, sizes. */
    BAD_REQUEST("LP-401", RetryAdvice.NEVER),
    /**
     * The table is missing, not enabled for transactions, being changed, or disabled in HBase; or
     * its fast path is switched off; or the table of a commit entry is gone.
     */
    TABLE_NOT_TRANSACTIONAL("LP-402", RetryAdvice.NEVER),
    /** The transaction has ended, or two threads use it at once. */
    ILLEGAL_USE("LP-403", RetryAdvice.NEVER),
    /** A named limit is exceeded. */
    TOO_LARGE("LP-404", RetryAdvice.NEVER),
    /** Data that Lampone cannot have written. */
    CORRUPT("LP-501", RetryAdvice.NEVER);

    private final String id;
    private final RetryAdvice advice;

    Code(String id, RetryAdvice advice) {
      this.id = id;
      this.advice = advice;
    }

    /** The stable text, {@code LP-nnn}. */
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

  /** Returns the kind of failure. */
  public final Code code() {
    return code;
  }

  /** Returns the advice for applications. */
  public final RetryAdvice retryAdvice() {
    return code.advice();
  }

  /** The transaction's start timestamp, 0 if it had none yet. */
  public final long startTimestamp() {
    return startTimestamp;
  }
}
