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
  SESSION,
  /**
   * No snapshot, for read-only transactions with gets: each get shows the latest state, as long as
   * all gets so far have a snapshot in common, which includes everything that this client has done
   * and seen. No call of the transaction manager; else the transaction takes a snapshot, and ends
   * with a {@link ConflictException} if what it has read before has changed (ADR 95).
   */
  LATEST
}
