package io.lampone.client;

/**
 * Hears how long the parts of commits take, attempt by attempt. For measurements: it is called on
 * the threads that answers arrive on, and must neither wait nor throw.
 */
@FunctionalInterface
public interface CommitObserver {

  /** Parts of a commit by validation; a commit in one region has none of them. */
  enum Phase {
    /** The commit request, from when it is handed to the client of the transaction manager. */
    VALIDATE,
    /** The compare-and-set on the leader. */
    LEADER
  }

  /** An attempt at this part has ended, whatever came out. */
  void took(Phase phase, long nanos);
}
