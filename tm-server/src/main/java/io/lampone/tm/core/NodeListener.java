package io.lampone.tm.core;

/** Receives a node's role changes, on the node's thread. */
public interface NodeListener {

  /** The node has become the primary. */
  void becamePrimary(long epoch);

  /** The node is paused for a hand-over; incoming requests must be kept from now on. */
  void sealed();

  /** The node answers again; the kept requests must be passed to it. */
  void unsealed();

  /**
   * A successor continues with the complete state of this node; {@link #retired} follows.
   *
   * @param address where the successor listens
   */
  void handedOver(String address);

  /** The node will never answer again; the process should be restarted. */
  void retired(Retirement retirement);

  /** A primary has found a foreign change of the record, and adopts nothing of it. */
  default void recordTampered() {}

  /** Reason of retirement. */
  enum Retirement {
    /** It has given back the lease, as requested. */
    RELEASED,
    /** It has handed over to another node, as requested. */
    HANDED_OVER,
    /** Another node has taken the epoch. */
    SUPERSEDED,
    /** An invariant of the protocol is violated. */
    INVARIANT_VIOLATED
  }
}
