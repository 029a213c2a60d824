package io.lampone.client.hbase.transport;

import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.hbase.read.ScanPage;
import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/** Transport by HBase's asynchronous client, which locates regions, waits, and repeats. */
public final class AsyncRegionTransport implements RegionTransport {

  private static final Duration HBASE_PAUSE = Duration.ofMillis(50);

  private final AsyncConnection connection;
  private final StoreSettings settings;
  private final Clock clock;

  /** Creates a transport over a connection, which the caller closes. */
  public AsyncRegionTransport(AsyncConnection connection, StoreSettings settings, Clock clock) {
    this.connection = connection;
    this.settings = settings;
    this.clock = clock;
  }

  @Override
  public Step<Result> get(TableName name, Get get, long deadlineNanos) {
    return AsyncRequest.step(() -> table(name, deadlineNanos, ATTEMPTS).get(get));
  }

  @Override
  public Step<List<Step.Ended<Result>>> gets(TableName name, List<Get> gets, long deadlineNanos) {
    return AsyncRequest.batch(gets.size(), () -> table(name, deadlineNanos, ATTEMPTS).get(gets));
  }

  @Override
  public Step<CheckAndMutateResult> send(
      TableName name, CheckAndMutate carrier, long deadlineNanos, int attempts) {
    return AsyncRequest.step(() -> table(name, deadlineNanos, attempts).checkAndMutate(carrier));
  }

  @Override
  public Optional<CompletableFuture<ScanPage>> firstPage(
      TableName name, Scan scan, long deadlineNanos, long untilNanos) {
    return Optional.empty();
  }

  @Override
  public AsyncTable<AdvancedScanResultConsumer> table(
      TableName name, long deadlineNanos, int attempts) {
    long left = settings.leftNanos(deadlineNanos, clock.monotonicNanos());
    long call = StoreSettings.callNanos(left);
    return connection
        .getTableBuilder(name)
        .setOperationTimeout(left, TimeUnit.NANOSECONDS)
        .setRpcTimeout(call, TimeUnit.NANOSECONDS)
        .setReadRpcTimeout(call, TimeUnit.NANOSECONDS)
        .setWriteRpcTimeout(call, TimeUnit.NANOSECONDS)
        .setScanTimeout(left, TimeUnit.NANOSECONDS)
        .setRetryPause(HBASE_PAUSE.toNanos(), TimeUnit.NANOSECONDS)
        .setMaxAttempts(attempts)
        .build();
  }

  @Override
  public void close() {
    // It has nothing of its own.
  }
}
