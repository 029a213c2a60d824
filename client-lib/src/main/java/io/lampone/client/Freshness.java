package io.lampone.client;

/** Age of the snapshot on which a transaction begins. */
public enum Freshness {
  /** The snapshot includes every commit that returned before the begin. */
  STRICT,
  /**
   * The snapshot includes everything that this client has done and seen, and is at most about a
   * second old. The begin needs no call of the transaction manager, unless no start timestamp is at
   * hand: then it is STRICT (ADR 89).
   */
  SESSION
}
