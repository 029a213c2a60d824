package io.lampone.client.hbase;

import io.lampone.protocol.TransactionId;
import io.lampone.protocol.time.RareLine;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells tables that do not exist from those that cannot be reached (protocol page, section 5).
 * HBase's client says "not found" of any table for whose row it finds no region, so the table's own
 * entry is looked up: only if there is none has somebody dropped it. A table that is disabled has
 * one.
 */
final class DroppedTables {

  private static final Logger LOG = LoggerFactory.getLogger(DroppedTables.class);

  private final StoreAccess access;
  private final RareLine line;

  DroppedTables(StoreAccess access) {
    this.access = access;
    this.line = new RareLine(access.clock());
  }

  /** The answer of a table, or what stands for it if the table does not exist. */
  <T> CompletableFuture<T> orElse(
      String table, CompletableFuture<T> answer, Supplier<CompletableFuture<T>> otherwise) {
    return answer.exceptionallyCompose(
        failure ->
            StoreFailures.find(failure, TableNotFoundException.class).isEmpty()
                ? CompletableFuture.failedFuture(failure)
                : exists(table)
                    // While that cannot be found out, nothing is known but that it has failed.
                    .exceptionally(unknown -> true)
                    .thenCompose(
                        exists ->
                            exists ? CompletableFuture.failedFuture(failure) : otherwise.get()));
  }

  /** The table of a leader does not exist, and the leader is taken for absent. */
  void absent(TransactionId id) {
    line.happened()
        .ifPresent(
            times ->
                LOG.warn(
                    "The table of a commit entry has been dropped: what this transaction has"
                        + " written elsewhere, and had not been told of a commit, counts as"
                        + " aborted, table={} leader={} transaction={} times={}",
                    id.leader().table(),
                    id.leader(),
                    id.startTimestamp(),
                    times));
  }

  private CompletableFuture<Boolean> exists(String table) {
    return access
        .connection()
        .getAdminBuilder()
        .setOperationTimeout(access.settings().operationTimeout().toNanos(), TimeUnit.NANOSECONDS)
        .build()
        .tableExists(TableName.valueOf(table));
  }
}
