package io.lampone.faultlab.work.async;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.jspecify.annotations.Nullable;

/**
 * A table of an asynchronous transaction. Lists are cut in two: both halves are under way at once.
 */
record AsyncTableView(AsyncTable<?> table) implements Table {

  @Override
  public TableName getName() {
    return table.getName();
  }

  @Override
  public Configuration getConfiguration() {
    throw new UnsupportedOperationException("no workload asks for it");
  }

  @Override
  public TableDescriptor getDescriptor() {
    throw new UnsupportedOperationException("no workload asks for it");
  }

  @Override
  public RegionLocator getRegionLocator() {
    throw new UnsupportedOperationException("no workload asks for it");
  }

  @Override
  public boolean exists(Get get) throws IOException {
    return Futures.await(table.exists(get));
  }

  @Override
  public Result get(Get get) throws IOException {
    return Futures.await(table.get(get));
  }

  @Override
  public Result[] get(List<Get> gets) throws IOException {
    int half = gets.size() / 2;
    CompletableFuture<List<Result>> first = table.getAll(gets.subList(0, half));
    CompletableFuture<List<Result>> second = table.getAll(gets.subList(half, gets.size()));
    Futures.await(CompletableFuture.allOf(first, second));
    List<Result> all = new ArrayList<>(first.join());
    all.addAll(second.join());
    return all.toArray(new Result[0]);
  }

  @Override
  public ResultScanner getScanner(Scan scan) throws IOException {
    return new Scanned(Futures.await(table.scanAll(scan)));
  }

  @Override
  public void put(Put put) throws IOException {
    Futures.await(table.put(put));
  }

  @Override
  public void put(List<Put> puts) throws IOException {
    int half = puts.size() / 2;
    CompletableFuture<Void> first = table.putAll(puts.subList(0, half));
    CompletableFuture<Void> second = table.putAll(puts.subList(half, puts.size()));
    // Both have ended then, even if one has failed: a transaction must not end before its steps.
    Futures.await(CompletableFuture.allOf(first, second));
  }

  @Override
  public void delete(Delete delete) throws IOException {
    Futures.await(table.delete(delete));
  }

  @Override
  public void delete(List<Delete> deletes) throws IOException {
    Futures.await(table.deleteAll(deletes));
  }

  @Override
  public Result increment(Increment increment) throws IOException {
    return Futures.await(table.increment(increment));
  }

  @Override
  public Result append(Append append) throws IOException {
    return Futures.await(table.append(append));
  }

  @Override
  public CheckAndMutateResult checkAndMutate(CheckAndMutate checkAndMutate) throws IOException {
    return Futures.await(table.checkAndMutate(checkAndMutate));
  }

  @Override
  public Result mutateRow(RowMutations mutations) throws IOException {
    return Futures.await(table.mutateRow(mutations));
  }

  @Override
  public void batch(List<? extends Row> actions, Object[] results) throws IOException {
    List<Object> done = Futures.await(table.batchAll(actions));
    for (int i = 0; i < done.size(); i++) {
      results[i] = done.get(i);
    }
  }

  /** Results that are all there. */
  private static final class Scanned implements ResultScanner {

    private final List<Result> results;
    private int next;

    Scanned(List<Result> results) {
      this.results = results;
    }

    @Override
    public @Nullable Result next() {
      return next < results.size() ? results.get(next++) : null;
    }

    @Override
    public void close() {
      next = results.size();
    }

    @Override
    public boolean renewLease() {
      return false;
    }

    @Override
    public @Nullable ScanMetrics getScanMetrics() {
      return null;
    }
  }
}
