package io.lampone.client;

/** Isolation of a transaction. */
public enum Isolation {

  /**
   * Snapshot isolation: all reads see one snapshot, and of two transactions that overlap and write
   * the same only one commits. Write skew is possible.
   */
  SNAPSHOT,

  /**
   * Serializable: besides that, the transaction commits only if everything that it has read is
   * still so at its commit timestamp: rows, and ranges that were scanned, phantoms included. Costs
   * one round trip to the regions at commit, unless all rows that were read were also written; a
   * range is scanned once more.
   */
  SERIALIZABLE
}
