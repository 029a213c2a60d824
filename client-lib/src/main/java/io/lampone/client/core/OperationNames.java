package io.lampone.client.core;

import io.lampone.protocol.OperationId;
import java.util.concurrent.atomic.AtomicLong;

/** Names for the operations of one client, none twice. Thread-safe. */
public final class OperationNames {

  private final long client;
  // the last number that was given out; only grows
  private final AtomicLong counter = new AtomicLong();

  /**
   * @param client drawn at random, not 0: no two clients have the same
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
