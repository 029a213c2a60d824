package io.lampone.benchmarks;

import java.util.concurrent.CompletableFuture;

/**
 * Transactions of a transaction manager, independent of its product. Futures complete on a thread
 * of the client's and must not be waited for there.
 */
public interface Transactions extends AutoCloseable {

  /** Requests a start timestamp. */
  CompletableFuture<Long> begin();

  /**
   * Requests validation; completes with true if the transaction may commit.
   *
   * @param startTimestamp the transaction
   * @param cells hashes of the written cells
   */
  CompletableFuture<Boolean> commit(long startTimestamp, long[] cells);

  /** Ends a transaction that has only read. */
  default void end(long startTimestamp) {}
}
