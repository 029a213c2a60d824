package io.lampone.client.hbase;

import io.lampone.client.ClientMetrics;
import java.util.concurrent.atomic.LongAdder;

/** Counts what goes to HBase, and to the transaction manager. Thread-safe. */
public final class StoreMetrics {

  final LongAdder flushRequests = new LongAdder();
  final LongAdder flushBatches = new LongAdder();
  final LongAdder leaderWrites = new LongAdder();
  final LongAdder leaderReads = new LongAdder();
  final LongAdder healRequests = new LongAdder();
  final LongAdder gets = new LongAdder();
  final LongAdder multiGets = new LongAdder();
  final LongAdder scannersOpened = new LongAdder();
  final LongAdder fastReads = new LongAdder();
  final LongAdder fastWrites = new LongAdder();
  final LongAdder oneRegionCommits = new LongAdder();
  final LongAdder operationLookups = new LongAdder();
  private final LongAdder lineCalls = new LongAdder();
  private final LongAdder managerRequests = new LongAdder();

  /** Counts calls that were answered by lines. */
  public LongAdder lineCalls() {
    return lineCalls;
  }

  /** Counts requests to the transaction manager. */
  public LongAdder managerRequests() {
    return managerRequests;
  }

  /** The counts as they are now. */
  public ClientMetrics snapshot() {
    return new ClientMetrics(
        flushRequests.sum(),
        flushBatches.sum(),
        leaderWrites.sum(),
        leaderReads.sum(),
        healRequests.sum(),
        gets.sum(),
        multiGets.sum(),
        scannersOpened.sum(),
        fastReads.sum(),
        fastWrites.sum(),
        oneRegionCommits.sum(),
        operationLookups.sum(),
        lineCalls.sum(),
        managerRequests.sum());
  }
}
