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
 * A table by the {@link FastPath}.
 *
 * <p>Writes are applied once or not at all, however often they have to be sent; within the
 * operation timeout everything that can be repeated is. They fail with {@link LamponeException}
 * (reads that are interrupted with {@code InterruptedIOException}, and of a fault of the client
 * itself everything with HBase's {@code DoNotRetryIOException}):
 *
 * <ul>
 *   <li>{@link CommitOutcomeUnknownException}: nobody could say whether it was applied. It carries
 *       the id to ask by; do not do it again before that.
 *   <li>{@code LP-105}: undecided regular transactions were in the way all the time; not applied.
 *       Do it again, or as a regular transaction.
 *   <li>any other: not applied, and the code says what may be done.
 * </ul>
 */
public interface FastPathTable {

  TableName getName();

  /**
   * The newest committed state of a row. Sees every commit that this client knows of; may miss
   * another client's that returned a moment ago: {@link #getLatest} does not.
   */
  Result get(Get get) throws IOException;

  /**
   * The state of a row at one moment of this call: sees whatever returned before, whoever did it,
   * and whatever anybody has been shown before. Costs what {@link #get} costs, unless a regular
   * transaction that writes the row is under way: then what a regular read costs, and the look at
   * what became of that transaction.
   *
   * <p>Two of these are two moments: for rows that must fit together use a transaction.
   */
  Result getLatest(Get get) throws IOException;

  /** Several rows, each at a moment of its own; one round trip per server. */
  List<Result> getAll(List<Get> gets) throws IOException;

  /** A row with the version that a conditional write expects. Dearer than {@link #get}. */
  RowRead readForUpdate(Get get) throws IOException;

  /** Several rows, each at a moment of its own; one round trip per server. */
  List<RowRead> readAllForUpdate(List<Get> gets) throws IOException;

  /** Applies one operation. Never gives {@link FastPathResult.Failed}: that is thrown. */
  FastPathResult apply(FastPathOperation operation) throws IOException;

  /**
   * Applies operations, each by itself; one round trip per server. Two of one row are applied in
   * their order. The results are in the order of the operations.
   *
   * @param operations at most 10,000: more fail with {@code LP-404}, and none is applied
   */
  List<FastPathResult> applyAll(List<FastPathOperation> operations) throws IOException;

  /**
   * Applies operations on rows of one region, each row once: all at one version, or none. Refused
   * if the rows lie in several regions.
   */
  FastPathResult applyTogether(List<FastPathOperation> operations) throws IOException;

  /** Puts, whatever is there. */
  default Committed put(Put put) throws IOException {
    return (Committed) apply(FastPathOperation.of(put));
  }

  /** Deletes, whatever is there. */
  default Committed delete(Delete delete) throws IOException {
    return (Committed) apply(FastPathOperation.of(delete));
  }

  /** Increments; the result has the new values. */
  default Committed increment(Increment increment) throws IOException {
    return (Committed) apply(FastPathOperation.of(increment));
  }

  /** Appends; the result has the new values. */
  default Committed append(Append append) throws IOException {
    return (Committed) apply(FastPathOperation.of(append));
  }

  /** Committed, or ConditionFalse. */
  default FastPathResult checkAndMutate(CheckAndMutate check) throws IOException {
    return apply(FastPathOperation.of(check));
  }

  /** Committed, or Conflict: then read it again. */
  default FastPathResult putIf(Put put, RowVersion expected) throws IOException {
    return apply(FastPathOperation.of(put).ifUnchanged(expected));
  }

  /** Committed, or Conflict: then read it again. */
  default FastPathResult deleteIf(Delete delete, RowVersion expected) throws IOException {
    return apply(FastPathOperation.of(delete).ifUnchanged(expected));
  }

  /** Puts, each by itself; see {@link #applyAll}. */
  default List<FastPathResult> putAll(List<Put> puts) throws IOException {
    return applyAll(puts.stream().map(FastPathOperation::of).toList());
  }

  /** Deletes, each by itself; see {@link #applyAll}. */
  default List<FastPathResult> deleteAll(List<Delete> deletes) throws IOException {
    return applyAll(deletes.stream().map(FastPathOperation::of).toList());
  }
}
