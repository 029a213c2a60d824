package io.lampone.client;

/** Isolation of a transaction. */
public enum Isolation {

  /**
   * Snapshot isolation: all reads see one snapshot, and of two concurrent transactions that write
   * the same row or cell only one commits. Write skew is possible.
   */
  SNAPSHOT,

  /**
   * Serializable: in addition, the transaction commits only if the rows and ranges that it read are
   * unchanged at its commit timestamp, phantoms included. Costs one round trip to the regions at
   * commit, unless all rows that were read were also written; ranges are scanned a second time.
   */
  SERIALIZABLE
}
