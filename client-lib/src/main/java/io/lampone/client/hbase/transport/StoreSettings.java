package io.lampone.client.hbase.transport;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Bounds of requests to HBase.
 *
 * @param operationTimeout timeout of one operation, repetitions included
 * @param requestBytes approximate payload of one request for one region; a single row may exceed it
 * @param requestRows rows of one request for one region
 */
public record StoreSettings(Duration operationTimeout, long requestBytes, int requestRows) {

  /** Ten seconds, 1 MiB, 10,000 rows. */
  public static final StoreSettings DEFAULT =
      new StoreSettings(Duration.ofSeconds(10), 1L << 20, 10_000);

  /** Limit of outstanding requests for one region, for one operation. */
  static final int WAVE_REQUESTS = 16;

  /** Share of an operation's time for one call, so that a hung server leaves a second try. */
  private static final int CALLS_PER_OPERATION = 3;

  /** Returns the time for a request; at least a tenth of the timeout. */
  long leftNanos(long deadlineNanos, long nowNanos) {
    return Math.max(deadlineNanos - nowNanos, operationTimeout.toNanos() / 10);
  }

  /** Returns the time of one call of a request. */
  static long callNanos(long leftNanos) {
    return Math.max(leftNanos / CALLS_PER_OPERATION, TimeUnit.MILLISECONDS.toNanos(1));
  }
}
