package io.lampone.coprocessor.core.healing;

import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.trust.Proof;

/**
 * Rules of a healer for a transaction that has left a pending intent behind (protocol page,
 * sections 5 and 7). A reader may abort a transaction in its own interest; a healer needs nothing,
 * so it never ends a transaction that may still be active:
 *
 * <pre>
 *   leader COMMITTED, FINAL, ABORTED               heal
 *   leader PENDING    manager: passed              finish the commit
 *                     conflict                     abort: that is decided
 *                     unknown, not requested       abort if its time is over, else leave
 *                     assigned                     the same; also abort if met again much later
 *   leader absent                                  plant ABORTED if its time is over, else leave
 * </pre>
 *
 * While a reader waits, unknown is enough to abort, and the status of a transaction with an absent
 * leader is looked up as for a pending one, as a client does for itself (protocol page, section 5).
 * If nothing was requested, the flush of an absent leader may be on its way, unless its table takes
 * none any more, as one that is being changed: then its server proves it absent for good, or
 * plants. Assigned is enough, too, once the transaction manager states that it may be aborted: only
 * its own client commits it (ADR 81).
 *
 * <p>The time of a transaction is over when it began below the floor or the safe point: then it
 * will never be validated. The safe point is as old as the retention, and a client holds it back
 * for a longer transaction. So this never aborts a transaction for being slow.
 */
public final class HealingRules {

  private final long over;
  private final boolean awaited;

  /** Next step. */
  public sealed interface Step {

    /** Write this fate to the followers; 0 = aborted. */
    record Heal(long commitTimestamp) implements Step {}

    /** Commit on the leader, and adopt the state that it then holds. */
    record FinishCommit(Status.Passed passed) implements Step {}

    /**
     * Abort on the leader, and adopt the state that it then holds.
     *
     * @param proof the transaction manager's statement
     */
    record AbortLeader(boolean plant, Proof proof) implements Step {}

    /** Look up the status at the transaction manager. */
    record AskManager() implements Step {}

    /** Plant ABORTED on the absent leader if its table is closed to the transaction, else leave. */
    record AskTable() implements Step {}

    /** Leave the transaction: it may still be active. */
    record Leave() implements Step {}
  }

  /**
   * @param over transactions that began below it keep their outcome: no new decision is possible
   * @param awaited whether a reader waits: then an unknown or abortable transaction is ended
   */
  public HealingRules(long over, boolean awaited) {
    this.over = over;
    this.awaited = awaited;
  }

  /** Returns true if a reader waits. */
  boolean isAwaited() {
    return awaited;
  }

  /** Returns true if a leader that is absent for good counts as aborted now. */
  boolean mayConclude(long start) {
    return start < over || awaited;
  }

  /** Returns the step after the leader has been read or has changed its state. */
  public Step byLeader(long start, Outcome leader) {
    if (leader.state().isEmpty()) {
      if (start < over) {
        return new Step.AbortLeader(true, Proof.NONE);
      }
      return awaited ? new Step.AskManager() : new Step.Leave();
    }
    if (leader.state().get().isCommitted()) {
      return new Step.Heal(leader.commitTimestamp());
    }
    return leader.is(TransactionState.ABORTED) ? new Step.Heal(0) : new Step.AskManager();
  }

  /**
   * Returns the step after a status look-up, for a leader that is pending, or absent and awaited.
   *
   * @param metAgain whether an assigned transaction was met before, long enough ago
   */
  public Step byStatus(long start, Status status, boolean absent, boolean metAgain) {
    if (status instanceof Status.Passed passed) {
      return new Step.FinishCommit(passed);
    }
    if (awaited && absent && status instanceof Status.NotRequested) {
      return new Step.AskTable();
    }
    if (status instanceof Status.Conflict) {
      return new Step.AbortLeader(absent, status.abortable());
    }
    // Unknown above the safe point may mean that the decision was evicted, or that a first commit
    // request may still arrive and pass. A reader does not wait for that; the leader decides.
    boolean mayEnd =
        start < over
            || awaited && status instanceof Status.Unknown
            || (awaited || metAgain)
                && status instanceof Status.Assigned assigned
                && assigned.proof().isPresent();
    return mayEnd ? new Step.AbortLeader(absent, status.abortable()) : new Step.Leave();
  }
}
