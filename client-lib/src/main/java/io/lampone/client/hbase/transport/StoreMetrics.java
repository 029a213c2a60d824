package io.lampone.client.hbase.transport;

import io.lampone.client.ClientMetrics;
import io.lampone.client.core.slow.HotRows;
import io.lampone.client.core.slow.TransactionMetrics;
import java.util.concurrent.atomic.LongAdder;

/** Counts requests to HBase and to the transaction manager. Thread-safe. */
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
  private final TransactionMetrics transactions;
  private final LongAdder lineCalls = new LongAdder();
  private final LongAdder managerRequests = new LongAdder();

  /** Creates counts of a client that discloses the rows of conflicts. */
  public StoreMetrics() {
    this(new TransactionMetrics(new HotRows(true), true));
  }

  public StoreMetrics(TransactionMetrics transactions) {
    this.transactions = transactions;
  }

  /** Returns the counts of replies by their results. */
  public ReplyMetrics replies() {
    return replies;
  }

  /** Returns the counts of transactions. */
  public TransactionMetrics transactions() {
    return transactions;
  }

  /** Returns the count of calls with a reply on dedicated connections. */
  public LongAdder lineCalls() {
    return lineCalls;
  }

  /** Returns the count of requests to the transaction manager. */
  public LongAdder managerRequests() {
    return managerRequests;
  }

  /**
   * Returns the present counts.
   *
   * @param postCommitDropped post-commit jobs beyond the limit
   * @param postCommitFailed failed post-commit jobs
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
        transactions.snapshot(),
        transactions.latencies());
  }
}
