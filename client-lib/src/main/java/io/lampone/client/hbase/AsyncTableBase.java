package io.lampone.client.hbase;

import com.google.protobuf.RpcChannel;
import io.lampone.client.driver.AsyncRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.apache.hadoop.hbase.client.ServiceCaller;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.filter.Filter;

/**
 * Methods of an {@link AsyncTable} inside a transaction that concern no row: descriptor, regions,
 * timeouts. Calls of coprocessor services throw: their reads and writes would be outside every
 * transaction.
 */
abstract class AsyncTableBase implements AsyncTable<ScanResultConsumer> {

  final HBaseTransaction transaction;
  private final TableName name;

  AsyncTableBase(HBaseTransaction transaction, TableName name) {
    this.transaction = transaction;
    this.name = name;
  }

  @Override
  public TableName getName() {
    return name;
  }

  @Override
  public Configuration getConfiguration() {
    return connection().getConfiguration();
  }

  @Override
  public CompletableFuture<TableDescriptor> getDescriptor() {
    return transaction.start(
        transaction.operation(
            () -> AsyncRequest.step(() -> connection().getAdmin().getDescriptor(name))));
  }

  @Override
  public AsyncTableRegionLocator getRegionLocator() {
    return connection().getRegionLocator(getName());
  }

  @Override
  public long getRpcTimeout(TimeUnit unit) {
    return unit.convert(transaction.context().access().settings().operationTimeout());
  }

  @Override
  public long getReadRpcTimeout(TimeUnit unit) {
    return getRpcTimeout(unit);
  }

  @Override
  public long getWriteRpcTimeout(TimeUnit unit) {
    return getRpcTimeout(unit);
  }

  /** Returns the time that the transaction has left. */
  @Override
  public long getOperationTimeout(TimeUnit unit) {
    long nanos =
        transaction.open().deadlineNanos()
            - transaction.context().access().clock().monotonicNanos();
    return unit.convert(Duration.ofNanos(Math.max(nanos, 0)));
  }

  @Override
  public long getScanTimeout(TimeUnit unit) {
    return getOperationTimeout(unit);
  }

  private AsyncConnection connection() {
    return transaction.context().access().connection();
  }

  // The deprecated ways are offered for code that uses them.

  @Override
  @SuppressWarnings("deprecation")
  public CheckAndMutateBuilder checkAndMutate(byte[] row, byte[] family) {
    return new ConditionBuilder.Async(this, row, family, null);
  }

  @Override
  @SuppressWarnings("deprecation")
  public CheckAndMutateWithFilterBuilder checkAndMutate(byte[] row, Filter filter) {
    return new ConditionBuilder.Async(this, row, null, filter);
  }

  @Override
  public <S, R> CompletableFuture<R> coprocessorService(
      Function<RpcChannel, S> stubs, ServiceCaller<S, R> call, byte[] row) {
    throw noServices();
  }

  @Override
  public <S, R> CoprocessorServiceBuilder<S, R> coprocessorService(
      Function<RpcChannel, S> stubs, ServiceCaller<S, R> call, CoprocessorCallback<R> callback) {
    throw noServices();
  }

  private static UnsupportedOperationException noServices() {
    return new UnsupportedOperationException(
        "services of coprocessors are no part of a transaction: call them by HBase's own AsyncTable");
  }
}
