package io.lampone.client.core;

import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.RegionRequest;
import java.util.List;

/**
 * The store as the fast path sees it: a port. Unlike {@link TransactionStore} nothing is repeated
 * underneath: each attempt is the caller's, because only the caller knows whether a repetition has
 * to be marked as one.
 */
public interface FastPathStore {

  /**
   * Groups rows by region, as far as is known.
   *
   * @param rows ascending
   * @param again whether what is known has turned out to be wrong
   */
  Step<List<List<Bytes>>> regionsOf(String table, List<Bytes> rows, boolean again);

  /**
   * Returns true if all rows of a table lie in one region, as far as is known, and its transactions
   * may commit there without the transaction manager.
   *
   * @param rows ascending
   */
  Step<Boolean> mayCommitInOneRegion(String table, List<Bytes> rows);

  /**
   * Sends each request once: a {@code FastWrite}, {@code OneRegionCommit} or {@code
   * OperationLookup}; several in one batch, which is one round trip per server. Never fails: every
   * failure is an end.
   *
   * @param deadlineNanos on the monotonic clock; one attempt gets a part of the time that is left
   * @return one end for each request, in order
   */
  Step<List<End>> send(String table, List<? extends RegionRequest> requests, long deadlineNanos);

  /** End of one attempt. */
  sealed interface End {

    /** Our code has answered. */
    record Answered(FastReply reply) implements End {}

    /** This attempt has changed nothing, and will not. */
    record NotExecuted(RuntimeException why) implements End {}

    /** Unknown whether this attempt was, or will be, carried out. */
    record Lost(RuntimeException why) implements End {}
  }
}
