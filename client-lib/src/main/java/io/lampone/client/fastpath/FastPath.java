package io.lampone.client.fastpath;

import io.lampone.client.LamponeClient;
import io.lampone.client.TransactionOutcome;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;

/**
 * Transactions of one row, or of several rows of one region, in one round trip, without the
 * transaction manager, and safe beside regular transactions of any size.
 *
 * <p>Each call is a transaction of its own. All of them and all regular transactions that write are
 * in one order, every snapshot shows a prefix of it, and nothing that a client does is ordered
 * before what it knows of. But an operation may be ordered before another client's that returned
 * earlier, if the two clients have not heard of each other: see {@link #strict} and {@link
 * LamponeClient#causalToken}.
 *
 * <p>Thread-safe.
 */
public interface FastPath {

  /** A table by the fast path. */
  FastPathTable table(TableName name);

  /** Same as {@link #table(TableName)}. */
  default FastPathTable table(String name) {
    return table(TableName.valueOf(name));
  }

  /**
   * The fast path in real-time order: whatever returned before a call, whoever made it, is before
   * that call. Costs one call of the transaction manager for each.
   */
  FastPath strict();

  /**
   * Returns the outcome of a write that ended unknown. Asking ends it: if it was not applied by
   * now, it will not be.
   *
   * @return Committed; Aborted if it was not applied; TooOld if it is older than the retention and
   *     may have been applied all the same
   */
  TransactionOutcome outcome(FastPathId id) throws IOException;
}
