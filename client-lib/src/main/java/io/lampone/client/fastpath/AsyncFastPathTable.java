package io.lampone.client.fastpath;

import io.lampone.client.fastpath.FastPathResult.Committed;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;

/** Asynchronous {@link FastPathTable}; futures fail with the exceptions of its methods. */
public interface AsyncFastPathTable {

  TableName getName();

  /** See {@link FastPathTable#get}. */
  CompletableFuture<Result> get(Get get);

  /** See {@link FastPathTable#getLatest}. */
  CompletableFuture<Result> getLatest(Get get);

  /** See {@link FastPathTable#getAll}. */
  CompletableFuture<List<Result>> getAll(List<Get> gets);

  /** See {@link FastPathTable#readForUpdate}. */
  CompletableFuture<RowRead> readForUpdate(Get get);

  /** See {@link FastPathTable#readAllForUpdate}. */
  CompletableFuture<List<RowRead>> readAllForUpdate(List<Get> gets);

  /** See {@link FastPathTable#apply}. */
  CompletableFuture<FastPathResult> apply(FastPathOperation operation);

  /** See {@link FastPathTable#applyAll}. */
  CompletableFuture<List<FastPathResult>> applyAll(List<FastPathOperation> operations);

  /** See {@link FastPathTable#applyTogether}. */
  CompletableFuture<FastPathResult> applyTogether(List<FastPathOperation> operations);

  /** See {@link FastPathTable#put}. */
  default CompletableFuture<Committed> put(Put put) {
    return apply(FastPathOperation.of(put)).thenApply(Committed.class::cast);
  }

  /** See {@link FastPathTable#delete}. */
  default CompletableFuture<Committed> delete(Delete delete) {
    return apply(FastPathOperation.of(delete)).thenApply(Committed.class::cast);
  }

  /** See {@link FastPathTable#increment}. */
  default CompletableFuture<Committed> increment(Increment increment) {
    return apply(FastPathOperation.of(increment)).thenApply(Committed.class::cast);
  }

  /** See {@link FastPathTable#append}. */
  default CompletableFuture<Committed> append(Append append) {
    return apply(FastPathOperation.of(append)).thenApply(Committed.class::cast);
  }

  /** See {@link FastPathTable#checkAndMutate}. */
  default CompletableFuture<FastPathResult> checkAndMutate(CheckAndMutate check) {
    return apply(FastPathOperation.of(check));
  }

  /** See {@link FastPathTable#putIf}. */
  default CompletableFuture<FastPathResult> putIf(Put put, RowVersion expected) {
    return apply(FastPathOperation.of(put).ifUnchanged(expected));
  }

  /** See {@link FastPathTable#deleteIf}. */
  default CompletableFuture<FastPathResult> deleteIf(Delete delete, RowVersion expected) {
    return apply(FastPathOperation.of(delete).ifUnchanged(expected));
  }

  /** See {@link FastPathTable#putAll}. */
  default CompletableFuture<List<FastPathResult>> putAll(List<Put> puts) {
    return applyAll(puts.stream().map(FastPathOperation::of).toList());
  }

  /** See {@link FastPathTable#deleteAll}. */
  default CompletableFuture<List<FastPathResult>> deleteAll(List<Delete> deletes) {
    return applyAll(deletes.stream().map(FastPathOperation::of).toList());
  }
}
