package io.lampone.client;

import io.lampone.protocol.TransactionId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.ScanResultConsumer;

/**
 * A transaction whose operations return futures. Several reads may run concurrently; savepoints,
 * commit and rollback require that no other operation is in progress. Futures complete on threads
 * of the client or of HBase, so dependent stages must not block. They fail with {@link
 * LamponeException}, or with HBase's {@code DoNotRetryIOException} if the client itself has a
 * fault.
 */
public interface AsyncTransaction {

  /**
   * Returns the timestamp of the snapshot, which also identifies a transaction that writes. 0 while
   * a LATEST transaction has no snapshot.
   */
  long startTimestamp();

  /**
   * Returns HBase's {@link AsyncTable} within this transaction. Its batches run in the order of
   * their actions; services of coprocessors are no part of a transaction and throw {@link
   * UnsupportedOperationException}.
   */
  AsyncTable<ScanResultConsumer> table(TableName name);

  /** Same as {@link #table(TableName)}. */
  default AsyncTable<ScanResultConsumer> table(String name) {
    return table(TableName.valueOf(name));
  }

  /** Sets a savepoint. */
  CompletableFuture<Savepoint> savepoint();

  /** Undoes every write since {@code savepoint}. */
  CompletableFuture<Void> rollbackTo(Savepoint savepoint);

  /** See {@link Transaction#commit}. */
  CompletableFuture<Void> commit();

  /** See {@link Transaction#rollback}. */
  CompletableFuture<Void> rollback();

  /** Returns the id for outcome queries; empty until the transaction has sent its first intent. */
  Optional<TransactionId> id();

  /** Returns the commit timestamp; empty unless committed with writes. */
  Optional<Long> commitTimestamp();
}
