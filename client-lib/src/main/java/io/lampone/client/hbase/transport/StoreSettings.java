package io.lampone.client.hbase.transport;

import java.time.Duration;

/**
 * Bounds of what goes to HBase.
 *
 * @param operationTimeout how long one operation may take, repetitions included
 * @param requestBytes payload of one request for one region, roughly; a single row may exceed it
 * @param requestRows rows of one request for one region
 */
public record StoreSettings(Duration operationTimeout, long requestBytes, int requestRows) {

  /** Ten seconds, 1 MiB, 10,000 rows. */
  public static final StoreSettings DEFAULT =
      new StoreSettings(Duration.ofSeconds(10), 1L << 20, 10_000);

  /** Requests for one region that may be under way at once, for one operation. */
  static final int WAVE_REQUESTS = 16;
}
