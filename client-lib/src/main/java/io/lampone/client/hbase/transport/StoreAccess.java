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
 * The way to HBase that everything in this package shares.
 *
 * @param connection the cluster
 * @param direct the shorter way for one row and a thread that waits
 * @param settings bounds of requests
 * @param driver runs machines; one for all, because the order of machines behind gates is its own
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

  /**
   * One call may take this share of an operation's time, so that a hung server leaves a second try.
   */
  private static final int CALLS_PER_OPERATION = 3;

  /** The same over another connection to the same cluster. */
  public StoreAccess over(AsyncConnection other) {
    return new StoreAccess(other, direct.unused(), settings, driver, random, metrics);
  }

  /** When an operation that begins now must have ended, on the monotonic clock. */
  public long deadline() {
    return clock().monotonicNanos() + settings.operationTimeout().toNanos();
  }

  /** The same for one that must have ended by {@code latestNanos} in any case. */
  public long deadlineWithin(long latestNanos) {
    long own = deadline();
    return own - latestNanos < 0 ? own : latestNanos;
  }

  public boolean isOver(long deadlineNanos) {
    return clock().monotonicNanos() - deadlineNanos >= 0;
  }

  /** A table whose calls end by {@code deadlineNanos}, or a little later if that is now. */
  public AsyncTable<AdvancedScanResultConsumer> table(TableName name, long deadlineNanos) {
    return table(name, deadlineNanos, HBASE_ATTEMPTS);
  }

  /** The same for requests that HBase's client sends at most {@code attempts} times. */
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

  /** Waits. */
  public Timer timer() {
    return driver.timer();
  }

  /** Measures deadlines. */
  public Clock clock() {
    return driver.clock();
  }

  /**
   * Gets one row. A thread that waits sends the first attempt itself; if that fails, HBase's client
   * does what it does: it looks for the region, waits, and asks again. But a refusal stands.
   */
  public Step<Result> get(TableName name, Get get, long deadlineNanos) {
    return oneRow(
        deadlineNanos,
        nanos -> direct.get(name, get, nanos).filter(StoreAccess::stands),
        () -> table(name, deadlineNanos).get(get));
  }

  /**
   * The beginning of a scan by a thread that waits for it, or the server's refusal. Empty: the scan
   * is to begin otherwise, which is no repetition of anything.
   */
  public Optional<CompletableFuture<ScanPage>> beginning(
      TableName name, Scan scan, long deadlineNanos, long untilNanos) {
    return direct
        .scan(name, scan, ofOneCall(deadlineNanos, untilNanos))
        .filter(StoreAccess::stands);
  }

  /** Sends one request of ours until it has been answered; see {@link #get}. */
  Step<CheckAndMutateResult> send(TableName name, CheckAndMutate operation, long deadlineNanos) {
    return oneRow(
        deadlineNanos,
        nanos -> direct.checkAndMutate(name, operation, nanos).filter(StoreAccess::stands),
        () -> table(name, deadlineNanos).checkAndMutate(operation));
  }

  /** Sends one request of ours, once; a thread that waits sends it itself. */
  public Step<CheckAndMutateResult> sendOnce(
      TableName name, CheckAndMutate operation, long deadlineNanos) {
    return oneRow(
        deadlineNanos,
        nanos -> direct.checkAndMutate(name, operation, nanos),
        () -> table(name, deadlineNanos, 1).checkAndMutate(operation));
  }

  /**
   * A request about one row.
   *
   * @param here sends it by this thread, in so many nanoseconds; empty if it has not been sent
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

  /** Returns true if HBase's client is not to send it again. */
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
   * A failure as the store's port promises it. HBase's client believes a server that says where a
   * region has moved, even if that was long ago and the region has been split since: it goes to and
   * fro between two servers for as long as they remember, two minutes. Then it has to ask where the
   * regions are.
   */
  public RuntimeException failed(String table, String server, Throwable failure) {
    if (StoreFailures.find(failure, RegionMovedException.class).isPresent()) {
      connection.getRegionLocator(TableName.valueOf(table)).clearRegionLocationCache();
    }
    return metrics.replies().count(StoreFailures.toStoreFailure(table, server, failure));
  }

  /** The pause before repetition {@code tries}, which counts from 0. */
  public Step<Void> pause(int tries) {
    return Step.pause(Backoff.CALLS.delay(tries, random));
  }
}
