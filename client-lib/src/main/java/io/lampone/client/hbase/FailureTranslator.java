package io.lampone.client.hbase;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.ConflictException;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.SnapshotTooOldException;
import io.lampone.client.core.CommitOutcome;
import io.lampone.client.core.failure.AbsentLeaderException;
import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.client.core.failure.RowBlockedException;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.client.core.failure.TransactionTimeoutException;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.tm.SnapshotHolds;
import io.lampone.protocol.tm.TransactionManagerException;
import java.io.IOException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.jspecify.annotations.Nullable;

/** Translates internal failures to exceptions of the API, with advice for the application. */
public final class FailureTranslator {

  /** Fault of the client itself, which a new transaction would meet, too. */
  private static final class UnforeseenException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    UnforeseenException(Throwable cause) {
      super("unforeseen failure in the client", cause);
    }
  }

  private FailureTranslator() {}

  /**
   * Returns a failure as the application sees it; one that was translated before is unchanged.
   *
   * @param startTimestamp the transaction's, 0 if it has none yet
   */
  public static IOException translate(Throwable failure, long startTimestamp) {
    Throwable cause = StoreFailures.unwrap(failure);
    if (cause instanceof LamponeException || cause instanceof UnforeseenException) {
      return (IOException) cause;
    }
    if (cause instanceof BadRequestException bad) {
      return new LamponeException(bad.code(), startTimestamp, bad.getMessage(), bad);
    }
    if (cause instanceof IllegalUseException illegal) {
      Code code = illegal.isLimit() ? Code.TOO_LARGE : Code.ILLEGAL_USE;
      return new LamponeException(code, startTimestamp, illegal.getMessage(), illegal);
    }
    if (cause instanceof TransactionTimeoutException) {
      return new LamponeException(Code.TIMEOUT, startTimestamp, cause.getMessage(), cause);
    }
    if (cause instanceof TransactionEndedException ended) {
      return ofOutcome(ended.outcome(), startTimestamp);
    }
    if (cause instanceof StoreRefusedException refused) {
      return ofRefusal(refused.table(), refused.refusal(), startTimestamp, refused);
    }
    if (cause instanceof TransactionManagerException manager) {
      return ofManager(manager, startTimestamp);
    }
    if (cause instanceof SnapshotHolds.RefusedException) {
      return new SnapshotTooOldException(startTimestamp, String.valueOf(cause.getMessage()));
    }
    if (cause instanceof AbsentLeaderException) {
      return new LamponeException(
          Code.TABLE_NOT_TRANSACTIONAL, startTimestamp, cause.getMessage(), cause);
    }
    if (cause instanceof RowBlockedException) {
      return new LamponeException(Code.BLOCKED, startTimestamp, cause.getMessage(), cause);
    }
    if (cause instanceof MalformedException) {
      return new LamponeException(
          Code.INCOMPATIBLE,
          startTimestamp,
          "an answer cannot be read: client, transaction manager and coprocessor must be of"
              + " versions that fit together, cause="
              + cause.getMessage(),
          cause);
    }
    if (cause instanceof IllegalArgumentException) {
      return new LamponeException(
          Code.BAD_REQUEST, startTimestamp, String.valueOf(cause.getMessage()), cause);
    }
    if (cause instanceof StoreUnavailableException || cause instanceof IOException) {
      return ofStore(cause, startTimestamp);
    }
    return new UnforeseenException(cause);
  }

  /** Returns the exception for a transaction that did not commit, or whose outcome is unknown. */
  public static IOException ofOutcome(CommitOutcome outcome, long startTimestamp) {
    if (outcome instanceof CommitOutcome.Conflict conflict) {
      return conflict
          .range()
          .map(
              range ->
                  new ConflictException(
                      startTimestamp,
                      conflict.place(),
                      conflict.winnerCommitTimestamp(),
                      range.from().firstBehind().toArray(),
                      range.to().firstBehind().toArray()))
          .orElseGet(
              () ->
                  new ConflictException(
                      startTimestamp,
                      conflict.place(),
                      conflict.winnerCommitTimestamp(),
                      conflict.kind()));
    }
    if (outcome instanceof CommitOutcome.Refused refused) {
      return ofRefusal(refused.table(), refused.refusal(), startTimestamp, null);
    }
    if (outcome instanceof CommitOutcome.Unknown unknown) {
      return unknown.cause() == null
          ? new CommitOutcomeUnknownException(unknown.id(), unknown.why())
          : new CommitOutcomeUnknownException(unknown.id(), unknown.why(), unknown.cause());
    }
    if (outcome instanceof CommitOutcome.Aborted aborted) {
      if (aborted.cause() != null) {
        IOException why = translate(aborted.cause(), startTimestamp);
        if (why instanceof LamponeException) {
          return why;
        }
      }
      return new LamponeException(
          Code.ABORTED,
          startTimestamp,
          "the transaction was aborted and left no trace: run it again on a new snapshot, why="
              + aborted.why(),
          aborted.cause());
    }
    return new LamponeException(
        Code.ILLEGAL_USE, startTimestamp, "the transaction has been committed already");
  }

  /** Returns the exception for a server's refusal. */
  static LamponeException ofRefusal(
      String table, Refusal refusal, long startTimestamp, @Nullable Throwable cause) {
    String text = refusal.detail() + ", table=" + table + " refusal=" + refusal.code();
    return switch (refusal.code()) {
      case CONFLICT ->
          new ConflictException(
              startTimestamp,
              new RowFamily(table, refusal.row(), Bytes.EMPTY),
              refusal.winnerCommitTimestamp());
      case BELOW_SAFE_POINT -> new SnapshotTooOldException(startTimestamp, text);
      case ABORTED, BELOW_FLOOR, LEVEL_MISMATCH, STALE_SCHEMA ->
          new LamponeException(Code.ABORTED, startTimestamp, text, cause);
      case NOT_READY, SESSION_UNPROVEN, WRONG_REGION, BUSY ->
          new LamponeException(Code.STORE_UNAVAILABLE, startTimestamp, text, cause);
      case TABLE_CHANGING, FAST_PATH_DISABLED ->
          new LamponeException(Code.TABLE_NOT_TRANSACTIONAL, startTimestamp, text, cause);
      case UNSUPPORTED -> new LamponeException(Code.BAD_REQUEST, startTimestamp, text, cause);
      case TOO_LARGE -> new LamponeException(Code.TOO_LARGE, startTimestamp, text, cause);
      case CORRUPT -> new LamponeException(Code.CORRUPT, startTimestamp, text, cause);
      case PLAIN_CLIENT,
          IMPOSSIBLE_TIMESTAMP,
          MALFORMED,
          INTERNAL,
          SUPERSEDED,
          MISPLACED,
          NOT_ITS_LEADER,
          UNDECIDED,
          UNPROVED ->
          new LamponeException(Code.INCOMPATIBLE, startTimestamp, text, cause);
    };
  }

  private static LamponeException ofManager(
      TransactionManagerException failure, long startTimestamp) {
    Code code =
        switch (failure.kind()) {
          case UNAVAILABLE -> Code.MANAGER_UNAVAILABLE;
          case INCOMPATIBLE, REJECTED -> Code.INCOMPATIBLE;
          case TOO_LARGE -> Code.TOO_LARGE;
          case CLOSED -> Code.ILLEGAL_USE;
        };
    return new LamponeException(code, startTimestamp, failure.getMessage(), failure);
  }

  private static IOException ofStore(Throwable failure, long startTimestamp) {
    if (StoreFailures.find(failure, TableNotFoundException.class).isPresent()) {
      return new LamponeException(
          Code.TABLE_NOT_TRANSACTIONAL,
          startTimestamp,
          "there is no such table: " + deepest(failure),
          failure);
    }
    if (StoreFailures.find(failure, TableNotEnabledException.class).isPresent()) {
      return new LamponeException(
          Code.TABLE_NOT_TRANSACTIONAL,
          startTimestamp,
          "the table is disabled in HBase: enable it there first: " + deepest(failure),
          failure);
    }
    if (StoreFailures.find(failure, NoSuchColumnFamilyException.class).isPresent()) {
      return new LamponeException(
          Code.BAD_REQUEST,
          startTimestamp,
          "the table has no such column family: " + deepest(failure),
          failure);
    }
    if (StoreFailures.find(failure, AccessDeniedException.class).isPresent()) {
      return new LamponeException(
          Code.BAD_REQUEST,
          startTimestamp,
          "HBase denies it to this user: " + deepest(failure),
          failure);
    }
    return new LamponeException(
        Code.STORE_UNAVAILABLE,
        startTimestamp,
        StoreFailures.firstLine(failure) + ", cause=" + deepest(failure),
        failure);
  }

  private static String deepest(Throwable failure) {
    Throwable last = failure;
    for (int i = 0; last.getCause() != null && i < StoreFailures.MAX_CAUSES; i++) {
      last = last.getCause();
    }
    return last.getClass().getSimpleName() + ": " + StoreFailures.firstLine(last);
  }
}
