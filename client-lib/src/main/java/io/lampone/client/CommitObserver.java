package io.lampone.client;

/**
 * Observer of the duration of each phase of a commit, per attempt. Intended for measurements. Runs
 * on the threads that deliver replies, and must neither block nor throw. Nothing is reported with
 * {@code lampone.client.metrics=false}.
 */
@FunctionalInterface
public interface CommitObserver {

  /** Phases of a commit by validation; a commit in one region has none of them. */
  enum Phase {
    /** The commit request, from its submission to the client of the transaction manager. */
    VALIDATE,
    /** The compare-and-set on the leader. */
    LEADER
  }

  /** Reports the end of an attempt at a phase, regardless of its result. */
  void took(Phase phase, long nanos);
}
