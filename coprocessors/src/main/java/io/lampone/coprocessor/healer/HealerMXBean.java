package io.lampone.coprocessor.healer;

/** Counters and state of a healer, for JMX: {@code io.lampone:type=Healer,server=...}. */
public interface HealerMXBean {

  /**
   * Age of the oldest intent, or committed leader, that the last pass has not settled; 0 = none.
   */
  long getOldestUnsettledMillis();

  /** Transactions that the last pass has left, because they may be at work or something failed. */
  long getUnsettled();

  /** Transactions settled since the start. */
  long getSettled();

  /** Transaction cells looked at since the start. */
  long getCellsRead();

  /** Passes over all regions that have ended. */
  long getPasses();

  /** Transactions and regions with which something went wrong since the start. */
  long getFailures();

  /** Committed transactions larger than their list of followers that the last pass has left. */
  long getUnlisted();

  /** Transaction cells that are there and cannot be read, looked for each hour: see the doctor. */
  long getUndecodable();

  /** Returns the last failure; empty if there was none. */
  String getLastFailure();
}
