package io.lampone.tm.core;

/** Hears of a node's changes of role, on the node's thread. */
public interface NodeListener {

  /** The node has become the primary. */
  void becamePrimary(long epoch);

  /** Keeps what comes in from now on: the node answers no requests for the moment. */
  void sealed();

  /** The node answers again; what was kept is to be handed to it. */
  void unsealed();

  /**
   * Another one continues with everything that this node knew; {@link #retired} follows.
   *
   * @param address where it listens
   */
  void handedOver(String address);

  /** The node will never answer again; the process had better end and be started anew. */
  void retired(Retirement retirement);

  /** A primary has found the record changed by a foreign hand, and takes nothing over from it. */
  default void recordTampered() {}

  /** Why a node has retired. */
  enum Retirement {
    /** It gave the lease back, as requested. */
    RELEASED,
    /** It has handed over to another one, as requested. */
    HANDED_OVER,
    /** Another one has taken the epoch. */
    SUPERSEDED,
    /** Something that the proof needs does not hold. */
    INVARIANT_VIOLATED
  }
}
