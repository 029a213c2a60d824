package io.lampone.phoenix;

/**
 * Timestamps of an SQL transaction, or of a statement under autocommit.
 *
 * @param start timestamp of its snapshot; 0 if it had none, on the fast path
 * @param commit commit timestamp; 0 if it has not committed, or has written nothing
 */
public record SqlTimestamps(long start, long commit) {

  /** Timestamps of a connection that has begun no transaction. */
  static final SqlTimestamps NONE = new SqlTimestamps(0, 0);
}
