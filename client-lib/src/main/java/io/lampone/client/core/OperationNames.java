package io.lampone.client.core;

import io.lampone.protocol.OperationId;
import java.util.concurrent.atomic.AtomicLong;

/** Generator of unique names for the operations of one client. Thread-safe. */
public final class OperationNames {

  private final long client;
  // last issued number; only grows
  private final AtomicLong counter = new AtomicLong();

  /**
   * @param client random, not 0: unique among clients
   */
  public OperationNames(long client) {
    if (client == 0) {
      throw new IllegalArgumentException("0 names transactions, not clients");
    }
    this.client = client;
  }

  /** Returns an unused name. */
  public OperationId next() {
    return new OperationId(client, counter.incrementAndGet());
  }
}
