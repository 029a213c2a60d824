package io.lampone.protocol.tm;

import io.lampone.protocol.trust.Grant;
import java.util.concurrent.CompletableFuture;

/** Issues start timestamps (protocol page, sections 1 and 4). */
public interface TimestampOracle {

  /**
   * Asks for a start timestamp of one's own. It is above every timestamp issued before this call.
   *
   * <p>Fails with {@link TransactionManagerException} if no transaction manager answers in time.
   */
  CompletableFuture<Begin> begin();

  /**
   * The same for a thread that waits for the answer: it may send the request and read the answer
   * itself, and the future is complete then.
   *
   * @param deadlineNanos when it stops waiting, on the monotonic clock
   */
  default CompletableFuture<Begin> beginHere(long deadlineNanos) {
    return begin();
  }

  /**
   * Start of a transaction.
   *
   * @param startTimestamp snapshot and identity of the transaction, a global timestamp
   * @param floor the smallest start timestamp that is still admissible
   * @param grant shows that the transaction belongs to the caller
   */
  record Begin(long startTimestamp, long floor, Grant grant) {}
}
