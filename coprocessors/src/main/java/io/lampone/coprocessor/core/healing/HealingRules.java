package io.lampone.coprocessor.core.healing;

import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.trust.Proof;

/**
 * Rules of a healer for a transaction that has left a pending intent behind (protocol page,
 * sections 5 and 7). A reader may look past a transaction and abort it for its own sake; a healer
 * needs nothing, so it never ends one that may still be at work:
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
 * Where a reader waits, unknown is enough to abort, and an absent leader is asked about as a
 * pending one is: as a client does for its own sake (protocol page, section 5). So is assigned,
 * once the transaction manager states that it may be aborted: only its own client commits it (ADR
 * 81).
 *
 * <p>The time of a transaction is over when it began below the floor or below the safe point: then
 * it will never be validated. The safe point is as old as the retention, and a client holds it back
 * for a transaction that takes longer. So no slow transaction is aborted here, however slow.
 */
public final class HealingRules {

  private final long over;
  private final boolean awaited;

  /** Next step. */
  public sealed interface Step {

    /** Write this fate onto the followers; 0 = aborted. */
    record Heal(long commitTimestamp) implements Step {}

    /** Commit on the leader, and believe what it holds then. */
    record FinishCommit(Status.Passed passed) implements Step {}

    /**
     * Abort on the leader, and believe what it holds then.
     *
     * @param proof what the transaction manager has stated
     */
    record AbortLeader(boolean plant, Proof proof) implements Step {}

    /** Ask the transaction manager. */
    record AskManager() implements Step {}

    /** Leave it: the transaction may still be at work. */
    record Leave() implements Step {}
  }

  /**
   * @param over transactions that began below it can only end as they have been decided already
   * @param awaited whether a reader waits: it ends what the transaction manager states may be ended
   */
  public HealingRules(long over, boolean awaited) {
    this.over = over;
    this.awaited = awaited;
  }

  /** Returns true if a reader waits. */
  boolean isAwaited() {
    return awaited;
  }

  /** Returns true if a leader that is absent for good now counts as aborted. */
  boolean mayConclude(long start) {
    return start < over || awaited;
  }

  /** After the leader has been read, or has changed its state. */
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
   * After the transaction manager has been asked, for the leader is pending, or absent and awaited.
   *
   * @param metAgain whether an assigned transaction was met before, long enough ago
   */
  public Step byStatus(long start, Status status, boolean absent, boolean metAgain) {
    if (status instanceof Status.Passed passed) {
      return new Step.FinishCommit(passed);
    }
    if (status instanceof Status.Conflict) {
      return new Step.AbortLeader(absent, status.abortable());
    }
    // Unknown above the safe point may mean that too much has been decided since for it to be
    // remembered: a first request for its commit may still come, and pass. A reader does not wait
    // for that; the leader decides.
    boolean mayEnd =
        start < over
            || awaited && status instanceof Status.Unknown
            || (awaited || metAgain)
                && status instanceof Status.Assigned assigned
                && assigned.proof().isPresent();
    return mayEnd ? new Step.AbortLeader(absent, status.abortable()) : new Step.Leave();
  }
}
