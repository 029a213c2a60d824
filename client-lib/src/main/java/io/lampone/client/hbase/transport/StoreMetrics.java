package io.lampone.client.hbase.transport;

import io.lampone.client.ClientMetrics;
import io.lampone.client.core.slow.TransactionMetrics;
import java.util.concurrent.atomic.LongAdder;

/** Counts what goes to HBase, and to the transaction manager. Thread-safe. */
public final class StoreMetrics {

  public final LongAdder flushRequests = new LongAdder();
  public final LongAdder flushBatches = new LongAdder();
  public final LongAdder leaderWrites = new LongAdder();
  public final LongAdder leaderReads = new LongAdder();
  public final LongAdder healRequests = new LongAdder();
  public final LongAdder gets = new LongAdder();
  public final LongAdder multiGets = new LongAdder();
  public final LongAdder scannersOpened = new LongAdder();
  public final LongAdder fastReads = new LongAdder();
  public final LongAdder fastWrites = new LongAdder();
  public final LongAdder oneRegionCommits = new LongAdder();
  public final LongAdder operationLookups = new LongAdder();
  private final ReplyMetrics replies = new ReplyMetrics();
  private final TransactionMetrics transactions = new TransactionMetrics();
  private final LongAdder lineCalls = new LongAdder();
  private final LongAdder managerRequests = new LongAdder();

  /** Counts replies by their results. */
  public ReplyMetrics replies() {
    return replies;
  }

  /** Counts transactions. */
  public TransactionMetrics transactions() {
    return transactions;
  }

  /** Counts calls that were answered by lines. */
  public LongAdder lineCalls() {
    return lineCalls;
  }

  /** Counts requests to the transaction manager. */
  public LongAdder managerRequests() {
    return managerRequests;
  }

  /**
   * The counts as they are now.
   *
   * @param postCommitDropped works after commits for which there was no place
   * @param postCommitFailed works after commits that failed
   */
  public ClientMetrics snapshot(long postCommitDropped, long postCommitFailed) {
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
        managerRequests.sum(),
        postCommitDropped,
        postCommitFailed,
        replies.snapshot(),
        transactions.snapshot());
  }
}
