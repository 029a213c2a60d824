package io.lampone.checker;

/** Kind of violation, in a history, of strong snapshot isolation or of serializability. */
public enum AnomalyKind {
  /** G0: two transactions overwrote each other in different orders. */
  DIRTY_WRITE,
  /** G1a: read of a value that was never committed. */
  ABORTED_READ,
  /** G1b: read of a value that its writer overwrote before committing. */
  INTERMEDIATE_READ,
  /** G1c: two transactions read from each other. */
  CIRCULAR_READ,
  /** Read of a value that was never written. */
  INVENTED_VALUE,
  /** Read of a list that contains an element twice. */
  DUPLICATED_VALUE,
  /** Read of a commit that is not below the snapshot. */
  FUTURE_READ,
  /**
   * G-single: saw a part of a transaction and missed another, or read one key twice, differently.
   */
  READ_SKEW,
  /** Long fork: each of two readers sees a commit that the other misses. */
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
  /** An operation that does not follow an earlier one of its own client. */
  SESSION,
  /** Impossible timestamps: a commit not above its start, two commits at one timestamp. */
  TIMESTAMP
}
