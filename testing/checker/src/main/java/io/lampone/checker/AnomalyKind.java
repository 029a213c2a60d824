package io.lampone.checker;

/** Kind of violation, in a history, of strong snapshot isolation or of serializability. */
public enum AnomalyKind {
  /** G0: two transactions have overwritten each other in different orders. */
  DIRTY_WRITE,
  /** G1a: read what was never committed. */
  ABORTED_READ,
  /** G1b: read what its writer had overwritten before it committed. */
  INTERMEDIATE_READ,
  /** G1c: two transactions that have read from each other. */
  CIRCULAR_READ,
  /** Read of a value that was never written. */
  INVENTED_VALUE,
  /** Read the same element twice in a list. */
  DUPLICATED_VALUE,
  /** Read a commit that is not below its snapshot. */
  FUTURE_READ,
  /**
   * G-single: saw a part of a transaction and missed another, or read one key twice, differently.
   */
  READ_SKEW,
  /** Two readers, each of which sees a commit that the other one misses. */
  LONG_FORK,
  /** Missed a commit that was acknowledged before the reader began. */
  STALE_READ,
  /** Missed a commit below its snapshot. */
  MISSED_COMMIT,
  /** Did not see its own write, or saw it changed. */
  INTERNAL,
  /** P4: two transactions wrote one key, and neither had seen the other. */
  LOST_UPDATE,
  /**
   * G2: a serializable transaction has missed a commit between its snapshot and its own commit, as
   * in write skew.
   */
  ANTI_DEPENDENCY,
  /** A snapshot below a commit that had been acknowledged before the transaction began. */
  REAL_TIME,
  /** An operation that does not follow an earlier one of its own process. */
  SESSION,
  /** Timestamps that cannot be: a commit not above its start, two commits at one timestamp. */
  TIMESTAMP
}
