package io.lampone.protocol.tm;

import io.lampone.protocol.trust.Grant;
import java.util.concurrent.CompletableFuture;

/** Issues start timestamps (protocol page, sections 1 and 4). */
public interface TimestampOracle {

  /**
   * Requests an individual start timestamp, above every timestamp issued before this call.
   *
   * <p>Fails with {@link TransactionManagerException} if no transaction manager answers in time.
   */
  CompletableFuture<Begin> begin();

  /**
   * Like {@link #begin} for a thread that waits for the answer. The thread may send the request and
   * read the answer itself; the future is then complete on return.
   *
   * @param deadlineNanos end of the wait, on the monotonic clock
   */
  default CompletableFuture<Begin> beginHere(long deadlineNanos) {
    return begin();
  }

  /**
   * Reports ended and open transactions, and requests start timestamps ahead of need. The answer
   * may hold fewer than requested, or none.
   *
   * <p>Fails with {@link TransactionManagerException.Kind#INCOMPATIBLE} if the transaction manager
   * does not support it.
   */
  default CompletableFuture<StartBlock> progress(ProgressReport report) {
    return CompletableFuture.failedFuture(
        new TransactionManagerException(
            TransactionManagerException.Kind.INCOMPATIBLE, "progress reports are not supported"));
  }

  /**
   * Start of a transaction.
   *
   * @param startTimestamp snapshot and identity of the transaction, a global timestamp
   * @param floor the smallest admissible start timestamp
   * @param grant proves that the transaction belongs to the caller
   */
  record Begin(long startTimestamp, long floor, Grant grant) {}
}
