package io.lampone.client.fastpath;

import io.lampone.client.LamponeClient;
import io.lampone.client.TransactionOutcome;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;

/**
 * Transactions of one row, or of several rows of one region, in one round trip, without the
 * transaction manager, and safe beside regular transactions of any size.
 *
 * <p>Each call is a separate transaction. There is one total order of these and of all regular
 * transactions that write; every snapshot shows a prefix of it, and a client's operations follow
 * everything that the client knows. An operation may precede another client's operation that
 * returned earlier, if the two clients are not causally related: see {@link #strict} and {@link
 * LamponeClient#causalToken}.
 *
 * <p>Thread-safe.
 */
public interface FastPath {

  /** Returns a table for access through the fast path. */
  FastPathTable table(TableName name);

  /** Same as {@link #table(TableName)}. */
  default FastPathTable table(String name) {
    return table(TableName.valueOf(name));
  }

  /**
   * Returns the fast path in real-time order: each call follows all operations of any client that
   * returned before it. Costs one request to the transaction manager per call.
   */
  FastPath strict();

  /**
   * Returns the outcome of a write whose outcome is unknown. This call settles the outcome: a write
   * that has not been applied by now will not be applied later.
   *
   * @return Committed; Aborted if it was not applied; TooOld if it is older than the retention, in
   *     which case it may have been applied
   */
  TransactionOutcome outcome(FastPathId id) throws IOException;
}
