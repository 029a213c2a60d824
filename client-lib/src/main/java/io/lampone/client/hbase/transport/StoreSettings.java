package io.lampone.client.hbase.transport;

import java.time.Duration;

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
}
