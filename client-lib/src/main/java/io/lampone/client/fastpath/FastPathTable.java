package io.lampone.client.fastpath;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeException;
import io.lampone.client.fastpath.FastPathResult.Committed;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;

/**
 * A table accessed through the {@link FastPath}.
 *
 * <p>Writes are applied at most once, however often they are sent; retryable failures are retried
 * within the operation timeout. Writes fail with {@link LamponeException} (interrupted reads with
 * {@code InterruptedIOException}; any call with HBase's {@code DoNotRetryIOException} if the client
 * itself has a fault):
 *
 * <ul>
 *   <li>{@link CommitOutcomeUnknownException}: unknown whether it was applied. The exception has
 *       the id to query; do not repeat the write before that.
 *   <li>{@code LP-105}: blocked by undecided regular transactions until the timeout; not applied.
 *       Retry, or use a regular transaction.
 *   <li>any other: not applied; the code carries the advice.
 * </ul>
 */
public interface FastPathTable {

  TableName getName();

  /**
   * Returns the newest committed state of a row. Sees every commit that this client knows; may miss
   * a recent commit of another client, unlike {@link #getLatest}.
   */
  Result get(Get get) throws IOException;

  /**
   * Returns the state of a row at one moment during this call (linearizable): sees all writes that
   * returned, and all values that any client has read, before the call. Costs as much as {@link
   * #get}; if a regular transaction that writes the row is in progress, as much as a regular read
   * plus the look-up of that transaction's fate.
   *
   * <p>Two calls read at two moments: use a transaction for rows that must be consistent.
   */
  Result getLatest(Get get) throws IOException;

  /** Returns several rows, each read at its own moment; one round trip per server. */
  List<Result> getAll(List<Get> gets) throws IOException;

  /** Returns a row with the version for a conditional write. Costs more than {@link #get}. */
  RowRead readForUpdate(Get get) throws IOException;

  /** Returns several rows, each read at its own moment; one round trip per server. */
  List<RowRead> readAllForUpdate(List<Get> gets) throws IOException;

  /** Applies one operation. Throws failures; never returns {@link FastPathResult.Failed}. */
  FastPathResult apply(FastPathOperation operation) throws IOException;

  /**
   * Applies independent operations; one round trip per server. Operations on the same row are
   * applied in the given order. The results are in the order of the operations.
   *
   * @param operations at most 10,000; with more the call fails with {@code LP-404}, applying none
   */
  List<FastPathResult> applyAll(List<FastPathOperation> operations) throws IOException;

  /**
   * Applies operations on distinct rows of one region atomically, at one version. Fails if the rows
   * are in several regions.
   */
  FastPathResult applyTogether(List<FastPathOperation> operations) throws IOException;

  /** Puts unconditionally. */
  default Committed put(Put put) throws IOException {
    return (Committed) apply(FastPathOperation.of(put));
  }

  /** Deletes unconditionally. */
  default Committed delete(Delete delete) throws IOException {
    return (Committed) apply(FastPathOperation.of(delete));
  }

  /** Increments and returns the new values in the result. */
  default Committed increment(Increment increment) throws IOException {
    return (Committed) apply(FastPathOperation.of(increment));
  }

  /** Appends and returns the new values in the result. */
  default Committed append(Append append) throws IOException {
    return (Committed) apply(FastPathOperation.of(append));
  }

  /** Returns Committed or ConditionFalse. */
  default FastPathResult checkAndMutate(CheckAndMutate check) throws IOException {
    return apply(FastPathOperation.of(check));
  }

  /** Returns Committed or Conflict; after a conflict, read the row again. */
  default FastPathResult putIf(Put put, RowVersion expected) throws IOException {
    return apply(FastPathOperation.of(put).ifUnchanged(expected));
  }

  /** Returns Committed or Conflict; after a conflict, read the row again. */
  default FastPathResult deleteIf(Delete delete, RowVersion expected) throws IOException {
    return apply(FastPathOperation.of(delete).ifUnchanged(expected));
  }

  /** Applies independent puts; see {@link #applyAll}. */
  default List<FastPathResult> putAll(List<Put> puts) throws IOException {
    return applyAll(puts.stream().map(FastPathOperation::of).toList());
  }

  /** Applies independent deletes; see {@link #applyAll}. */
  default List<FastPathResult> deleteAll(List<Delete> deletes) throws IOException {
    return applyAll(deletes.stream().map(FastPathOperation::of).toList());
  }
}
