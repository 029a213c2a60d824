package io.lampone.coprocessor.healer;

/** Counters and state of a healer, for JMX: {@code io.lampone:type=Healer,server=...}. */
public interface HealerMXBean {

  /** Returns the age of the oldest intent or committed leader that the last pass left; 0 = none. */
  long getOldestUnsettledMillis();

  /** Returns the transactions that the last pass left: possibly active ones, and failures. */
  long getUnsettled();

  /** Returns the transactions settled since the start. */
  long getSettled();

  /** Returns the transaction cells read since the start. */
  long getCellsRead();

  /** Returns the completed passes over all regions. */
  long getPasses();

  /** Returns the failures with transactions and regions since the start. */
  long getFailures();

  /** Returns the committed transactions with unlisted followers that the last pass left. */
  long getUnlisted();

  /** Returns the unreadable transaction cells, searched for each hour: see the doctor. */
  long getUndecodable();

  /** Returns the last failure; empty if there was none. */
  String getLastFailure();
}
