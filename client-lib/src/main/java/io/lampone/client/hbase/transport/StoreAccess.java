package io.lampone.client.hbase.transport;

import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.client.driver.Timer;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.time.Clock;
import java.util.random.RandomGenerator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.exceptions.RegionMovedException;

/**
 * Access to HBase shared by this package.
 *
 * @param connection connection to the cluster
 * @param transport sends requests to region servers
 * @param settings bounds of requests
 * @param driver runs machines; one for all, because it orders the machines behind gates
 * @param random jitters waits; thread-safe
 * @param metrics counts requests
 */
public record StoreAccess(
    AsyncConnection connection,
    RegionTransport transport,
    StoreSettings settings,
    Driver driver,
    RandomGenerator random,
    StoreMetrics metrics) {

  /** Returns the access over another connection to the same cluster. */
  public StoreAccess over(AsyncConnection other) {
    return new StoreAccess(
        other,
        new AsyncRegionTransport(other, settings, clock()),
        settings,
        driver,
        random,
        metrics);
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

  /** Returns the timer. */
  public Timer timer() {
    return driver.timer();
  }

  /** Returns the clock of deadlines. */
  public Clock clock() {
    return driver.clock();
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
