package io.lampone.client.hbase;

import io.lampone.client.driver.Driver;
import io.lampone.client.fastpath.AsyncFastPathTable;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.client.fastpath.RowRead;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;

/** The operations of a {@link HBaseFastPathTable}, started. */
record HBaseAsyncFastPathTable(HBaseFastPathTable table, Driver driver)
    implements AsyncFastPathTable {

  @Override
  public TableName getName() {
    return table.getName();
  }

  @Override
  public CompletableFuture<Result> get(Get get) {
    return driver.start(table.get(get));
  }

  @Override
  public CompletableFuture<Result> getLatest(Get get) {
    return driver.start(table.getLatest(get));
  }

  @Override
  public CompletableFuture<List<Result>> getAll(List<Get> gets) {
    return driver.start(table.getAll(gets));
  }

  @Override
  public CompletableFuture<RowRead> readForUpdate(Get get) {
    return driver.start(table.readForUpdate(get));
  }

  @Override
  public CompletableFuture<List<RowRead>> readAllForUpdate(List<Get> gets) {
    return driver.start(table.readAllForUpdate(gets));
  }

  @Override
  public CompletableFuture<FastPathResult> apply(FastPathOperation operation) {
    return driver.start(table.apply(operation).machine());
  }

  @Override
  public CompletableFuture<List<FastPathResult>> applyAll(List<FastPathOperation> operations) {
    return driver.start(table.applyAll(operations).machine());
  }

  @Override
  public CompletableFuture<FastPathResult> applyTogether(List<FastPathOperation> operations) {
    return driver.start(table.applyTogether(operations).machine());
  }
}
