package io.lampone.client;

import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;

/**
 * A transaction, for use by one thread at a time: a concurrent call from a second thread fails
 * (code {@code LP-403}) and changes nothing, except for {@link #close} and {@link #rollback}.
 *
 * <p>All reads see the snapshot of the start timestamp plus the transaction's own writes. Writes
 * are buffered in the client and become visible to others atomically at commit. {@link #close}
 * rolls back a transaction that was not committed.
 */
public interface Transaction extends AutoCloseable {

  /**
   * Returns the timestamp of the snapshot, which also identifies a transaction that writes. Inside
   * {@code run} this call may block until the begin completes. 0 while a LATEST transaction has no
   * snapshot.
   *
   * @throws java.io.UncheckedIOException if the begin fails
   */
  long startTimestamp();

  /**
   * Returns a view of a table within this transaction. Code that takes a {@link Table} runs inside
   * the transaction unchanged. Closing the view does nothing.
   */
  Table table(TableName name);

  /** Same as {@link #table(TableName)}. */
  default Table table(String name) {
    return table(TableName.valueOf(name));
  }

  /** Sets a savepoint. At most 127 in one transaction, rollbacks included. */
  Savepoint savepoint() throws IOException;

  /**
   * Undoes every write since {@code savepoint}; earlier writes and the snapshot stay. Open scanners
   * become invalid: their next call fails (code {@code LP-403}).
   */
  void rollbackTo(Savepoint savepoint) throws IOException;

  /**
   * Commits: makes all writes visible atomically.
   *
   * @throws ConflictException if a conflicting transaction committed first
   * @throws CommitOutcomeUnknownException if the outcome is unknown; never retried automatically
   * @throws LamponeException if the transaction failed without effect for another reason
   */
  void commit() throws IOException;

  /** Rolls back all writes and ends the transaction. Does nothing if it has already ended. */
  void rollback() throws IOException;

  /** Returns the id for outcome queries; empty until the transaction has sent its first intent. */
  Optional<TransactionId> id();

  /** Returns the commit timestamp; empty unless committed with writes. */
  Optional<Long> commitTimestamp();

  /** Rolls back if the transaction has not ended. */
  @Override
  void close() throws IOException;
}
