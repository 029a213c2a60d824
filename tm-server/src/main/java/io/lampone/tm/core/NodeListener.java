package io.lampone.tm.core;

/** Hears of a node's changes of role, on the node's thread. */
public interface NodeListener {

  /** The node has become the primary. */
  void becamePrimary(long epoch);

  /** The node will never answer again; the process had better end and be started anew. */
  void retired(Retirement retirement);

  /** Why a node has retired. */
  enum Retirement {
    /** It gave the lease back, as it was told to. */
    RELEASED,
    /** Another one has taken the epoch, or the record is gone. */
    SUPERSEDED,
    /** Something that the proof needs does not hold. */
    INVARIANT_VIOLATED
  }
}
