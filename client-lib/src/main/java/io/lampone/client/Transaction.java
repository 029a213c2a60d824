package io.lampone.client;

import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;

/**
 * A transaction under way, for one thread at a time: a second thread that calls it meanwhile gets
 * an error (code {@code LP-403}) and changes nothing. Only {@link #close} and {@link #rollback}
 * work then, too.
 *
 * <p>All reads see one snapshot, that of the start timestamp, plus the transaction's own writes.
 * Writes are buffered in the client and become visible to others together, at commit, or never.
 * {@link #close} rolls back what was not committed.
 */
public interface Transaction extends AutoCloseable {

  /**
   * The snapshot that is read; for a transaction that writes, also its identity. Inside {@code run}
   * it may have to be waited for.
   *
   * @throws java.io.UncheckedIOException if it cannot be had
   */
  long startTimestamp();

  /**
   * A table as this transaction sees it. Code that takes a {@link Table} runs inside the
   * transaction unchanged. Closing it does nothing.
   */
  Table table(TableName name);

  /** Same as {@link #table(TableName)}. */
  default Table table(String name) {
    return table(TableName.valueOf(name));
  }

  /** Sets a point to roll back to. At most 127 in one transaction, rollbacks included. */
  Savepoint savepoint() throws IOException;

  /**
   * Undoes every write since {@code savepoint}; earlier writes and the snapshot stay. Scanners that
   * are open end: their next call fails (code {@code LP-403}).
   */
  void rollbackTo(Savepoint savepoint) throws IOException;

  /**
   * Makes all writes visible together.
   *
   * @throws ConflictException if another transaction wrote the same and committed first
   * @throws CommitOutcomeUnknownException if nobody could say how it ended; never retried by itself
   * @throws LamponeException if it ended without a trace for another reason
   */
  void commit() throws IOException;

  /** Ends the transaction without a trace. Does nothing if it has ended already. */
  void rollback() throws IOException;

  /** The name to ask for the outcome by; empty until the transaction has sent its first intent. */
  Optional<TransactionId> id();

  /** The commit timestamp; empty unless committed with writes. */
  Optional<Long> commitTimestamp();

  /** Rolls back if the transaction has not ended. */
  @Override
  void close() throws IOException;
}
