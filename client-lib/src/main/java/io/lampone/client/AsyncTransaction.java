package io.lampone.client;

import io.lampone.protocol.TransactionId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;

/**
 * A transaction whose every step is a future. Several reads may be under way at once; commit and
 * rollback demand that nothing else is. Futures complete on threads of the client or of HBase: what
 * is chained to them must not block. They fail with {@link LamponeException}; only of a fault of
 * the client itself with HBase's {@code DoNotRetryIOException}.
 */
public interface AsyncTransaction {

  /** The snapshot that is read; for a transaction that writes, also its identity. */
  long startTimestamp();

  /** A table as this transaction sees it. */
  AsyncTransactionTable table(TableName name);

  /** Same as {@link #table(TableName)}. */
  default AsyncTransactionTable table(String name) {
    return table(TableName.valueOf(name));
  }

  /** Sets a point to roll back to. */
  CompletableFuture<Savepoint> savepoint();

  /** Undoes every write since {@code savepoint}. */
  CompletableFuture<Void> rollbackTo(Savepoint savepoint);

  /** See {@link Transaction#commit}. */
  CompletableFuture<Void> commit();

  /** See {@link Transaction#rollback}. */
  CompletableFuture<Void> rollback();

  /** The name to ask for the outcome by; empty until the transaction has sent its first intent. */
  Optional<TransactionId> id();

  /** The commit timestamp; empty unless committed with writes. */
  Optional<Long> commitTimestamp();
}
