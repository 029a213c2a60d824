package io.lampone.client.hbase.transport;

import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.driver.Driver;
import io.lampone.client.driver.Timer;
import io.lampone.client.hbase.read.ScanPage;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.exceptions.RegionMovedException;

/**
 * Access to HBase shared by this package.
 *
 * @param connection connection to the cluster
 * @param direct shorter way for one row and a waiting thread
 * @param settings bounds of requests
 * @param driver runs machines; one for all, because it orders the machines behind gates
 * @param random jitters waits; thread-safe
 * @param metrics counts requests
 */
public record StoreAccess(
    AsyncConnection connection,
    BlockingRegionClient direct,
    StoreSettings settings,
    Driver driver,
    RandomGenerator random,
    StoreMetrics metrics) {

  /** Attempts of HBase's own client within one of ours; every request of ours is idempotent. */
  public static final int HBASE_ATTEMPTS = 12;

  private static final Duration HBASE_PAUSE = Duration.ofMillis(50);

  /** Share of an operation's time for one call, so that a hung server leaves a second try. */
  private static final int CALLS_PER_OPERATION = 3;

  /** Returns the access over another connection to the same cluster. */
  public StoreAccess over(AsyncConnection other) {
    return new StoreAccess(other, direct.unused(), settings, driver, random, metrics);
  }

  /** Returns the deadline of an operation that begins now, on the monotonic clock. */
  public long deadline() {
    return clock().monotonicNanos() + settings.operationTimeout().toNanos();
  }

  /** Returns the deadline of one that must end by {@code latestNanos} in any case. */
  public long deadlineWithin(long latestNanos) {
    long own = deadline();
    return own - latestNanos < 0 ? own : latestNanos;
  }

  public boolean isOver(long deadlineNanos) {
    return clock().monotonicNanos() - deadlineNanos >= 0;
  }

  /** Returns a table whose calls end by {@code deadlineNanos}, or a little later if that is now. */
  public AsyncTable<AdvancedScanResultConsumer> table(TableName name, long deadlineNanos) {
    return table(name, deadlineNanos, HBASE_ATTEMPTS);
  }

  /** Returns a table for requests that HBase's client sends at most {@code attempts} times. */
  public AsyncTable<AdvancedScanResultConsumer> table(
      TableName name, long deadlineNanos, int attempts) {
    long left = left(deadlineNanos);
    long call = ofOneCall(left);
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

  /** Returns the timer. */
  public Timer timer() {
    return driver.timer();
  }

  /** Returns the clock of deadlines. */
  public Clock clock() {
    return driver.clock();
  }

  /**
   * Gets one row. A waiting thread sends the first attempt itself; after a failure, HBase's client
   * locates the region, waits, and retries. A refusal is not retried.
   */
  public Step<Result> get(TableName name, Get get, long deadlineNanos) {
    return oneRow(
        deadlineNanos,
        nanos -> direct.get(name, get, nanos).filter(StoreAccess::stands),
        () -> table(name, deadlineNanos).get(get));
  }

  /**
   * Returns the beginning of a scan by a waiting thread, or the server's refusal. If empty, the
   * scan must begin another way; this is no repetition.
   */
  public Optional<CompletableFuture<ScanPage>> beginning(
      TableName name, Scan scan, long deadlineNanos, long untilNanos) {
    return direct
        .scan(name, scan, ofOneCall(deadlineNanos, untilNanos))
        .filter(StoreAccess::stands);
  }

  /** Sends one request of ours until there is a reply; see {@link #get}. */
  Step<CheckAndMutateResult> send(TableName name, CheckAndMutate operation, long deadlineNanos) {
    return oneRow(
        deadlineNanos,
        nanos -> direct.checkAndMutate(name, operation, nanos).filter(StoreAccess::stands),
        () -> table(name, deadlineNanos).checkAndMutate(operation));
  }

  /** Sends one request of ours, once; a waiting thread sends it itself. */
  public Step<CheckAndMutateResult> sendOnce(
      TableName name, CheckAndMutate operation, long deadlineNanos) {
    return oneRow(
        deadlineNanos,
        nanos -> direct.checkAndMutate(name, operation, nanos),
        () -> table(name, deadlineNanos, 1).checkAndMutate(operation));
  }

  /**
   * Sends a request about one row.
   *
   * @param here sends it on this thread, with a timeout in nanoseconds; empty if it was not sent
   * @param elsewhere sends it by HBase's asynchronous client
   */
  private <T> Step<T> oneRow(
      long deadlineNanos,
      LongFunction<Optional<CompletableFuture<T>>> here,
      AsyncRequest<T> elsewhere) {
    return AsyncRequest.step(
        elsewhere,
        until -> here.apply(ofOneCall(deadlineNanos, until)).orElseGet(elsewhere::start));
  }

  /** Returns true if HBase's client must not send it again. */
  private static boolean stands(CompletableFuture<?> end) {
    return !end.isCompletedExceptionally()
        || end.handle((value, failure) -> StoreFailures.find(failure, DoNotRetryIOException.class))
            .join()
            .isPresent();
  }

  private long left(long deadlineNanos) {
    return Math.max(
        deadlineNanos - clock().monotonicNanos(), settings.operationTimeout().toNanos() / 10);
  }

  private long ofOneCall(long deadlineNanos, long untilNanos) {
    return Math.min(ofOneCall(left(deadlineNanos)), untilNanos - clock().monotonicNanos());
  }

  private static long ofOneCall(long leftNanos) {
    return Math.max(leftNanos / CALLS_PER_OPERATION, TimeUnit.MILLISECONDS.toNanos(1));
  }

  /**
   * Translates a failure as the store's port specifies. HBase's client trusts a server that reports
   * a region's new location, even if that was long ago and the region has been split since: it
   * alternates between two servers until their records expire, after two minutes. The locations
   * must then be looked up again.
   */
  public RuntimeException failed(String table, String server, Throwable failure) {
    if (StoreFailures.find(failure, RegionMovedException.class).isPresent()) {
      connection.getRegionLocator(TableName.valueOf(table)).clearRegionLocationCache();
    }
    return metrics.replies().count(StoreFailures.toStoreFailure(table, server, failure));
  }

  /** Returns the pause before repetition {@code tries}, which counts from 0. */
  public Step<Void> pause(int tries) {
    return Step.pause(Backoff.CALLS.delay(tries, random));
  }
}
