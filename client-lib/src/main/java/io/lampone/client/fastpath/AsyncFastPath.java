package io.lampone.client.fastpath;

import io.lampone.client.TransactionOutcome;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;

/** Asynchronous {@link FastPath}. Dependent stages of its futures must not block. */
public interface AsyncFastPath {

  /** Returns a table for access through the fast path. */
  AsyncFastPathTable table(TableName name);

  /** Same as {@link #table(TableName)}. */
  default AsyncFastPathTable table(String name) {
    return table(TableName.valueOf(name));
  }

  /** See {@link FastPath#strict}. */
  AsyncFastPath strict();

  /** See {@link FastPath#outcome}. */
  CompletableFuture<TransactionOutcome> outcome(FastPathId id);
}
