package io.lampone.client.core.status;

import io.lampone.client.TransactionOutcome;
import io.lampone.client.TransactionOutcome.Aborted;
import io.lampone.client.TransactionOutcome.Committed;
import io.lampone.client.TransactionOutcome.Running;
import io.lampone.client.TransactionOutcome.TooOld;
import io.lampone.client.core.OperationStatusLookup;
import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.TransactionStore;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.tm.StatusSource;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.trust.Proof;
import java.util.List;
import java.util.Objects;

/**
 * Determines the outcome of a transaction by its id (protocol page, sections 4 and 5).
 *
 * <pre>
 *   leader COMMITTED, FINAL   Committed
 *   leader absent or ABORTED, and the leader's row holds a version with the transaction's id:
 *                             Committed, in one region
 *   leader ABORTED            Aborted
 *   leader PENDING   manager: not requested, assigned
 *                                              Running; if given up: abort the leader
 *                             passed             finish the commit; the leader decides
 *                             conflict, unknown  abort the leader, which decides
 *   leader absent    manager: not requested, assigned
 *                                              Running; if given up: plant ABORTED
 *                             else               plant ABORTED; the leader decides;
 *                                                refused below the safe point: TooOld
 * </pre>
 *
 * A transaction is given up when its own client has reported its outcome as unknown: no client
 * works on it any more, only requests may still be in transit, and those come too late then.
 *
 * <p>The result is final unless it is Running: it was on the leader when it was given. An absent
 * leader of a transaction that may still put one proves nothing, so ABORTED is planted there: then
 * a late put of the leader's intent is refused [A4].
 *
 * <p>A transaction that committed in one region has no leader. It is looked up by its id, in the
 * row that would have been the leader's, before anything is planted: after that lookup a late
 * one-region commit is refused. So one of the two is found, whichever way was taken.
 */
public final class StatusQuery {

  private final TransactionStore store;
  private final TransactionManagerPort manager;
  private final OperationStatusLookup fates;

  public StatusQuery(
      TransactionStore store, TransactionManagerPort manager, OperationStatusLookup fates) {
    this.store = store;
    this.manager = manager;
    this.fates = fates;
  }

  /**
   * Determines the outcome.
   *
   * @param floor floor received at a recent begin
   * @param own the transaction's grant, if the caller is its client and has given it up
   * @param deadlineNanos on the monotonic clock: no lookup is sent again after it
   */
  public Step<TransactionOutcome> ask(TransactionId id, long floor, Proof own, long deadlineNanos) {
    return store
        .readLeaders(List.of(id), floor)
        .then(
            leaders -> {
              Outcome leader = Objects.requireNonNull(leaders.get(id));
              boolean maybeWithoutIntents =
                  leader.state().isEmpty() || leader.is(TransactionState.ABORTED);
              return maybeWithoutIntents
                  ? askRow(id, floor, own, leader, deadlineNanos)
                  : byLeader(id, floor, own, leader);
            })
        .recover(
            failure ->
                isRefused(failure, Refusal.Code.BELOW_SAFE_POINT)
                    ? Step.done(new TooOld())
                    : Step.failed(failure));
  }

  private Step<TransactionOutcome> askRow(
      TransactionId id, long floor, Proof own, Outcome leader, long deadlineNanos) {
    RowFamily place = id.leader();
    OperationId name = OperationId.ofTransaction(id.startTimestamp());
    return fates
        .find(place.table(), place.row(), name, id.startTimestamp(), own, deadlineNanos)
        .next(
            found -> {
              if (found.failure() != null) {
                return byUnansweredRow(id, floor, leader, found.failure());
              }
              return found.value().applied()
                  ? Step.done(new Committed(found.value().timestamp()))
                  : byLeader(id, floor, own, leader);
            });
  }

  /**
   * Decides after a refused lookup of the row: the transaction has not committed in one region, but
   * may do so yet, which only its owner can prevent. An aborted leader proves that it took the
   * other way.
   */
  private Step<TransactionOutcome> byUnansweredRow(
      TransactionId id, long floor, Outcome leader, Throwable failure) {
    if (!isRefused(failure, Refusal.Code.UNPROVED)) {
      return Step.failed(failure);
    }
    return leader.is(TransactionState.ABORTED)
        ? byLeader(id, floor, Proof.NONE, leader)
        : Step.done(new Running());
  }

  private Step<TransactionOutcome> byLeader(
      TransactionId id, long floor, Proof own, Outcome leader) {
    boolean decided = leader.state().isPresent() && !leader.is(TransactionState.PENDING);
    return decided
        ? Step.done(ended(leader))
        : manager
            .status(id.startTimestamp(), StatusSource.NO_SNAPSHOT)
            .then(status -> byStatus(id, floor, own, status, leader.state().isEmpty()));
  }

  private Step<TransactionOutcome> byStatus(
      TransactionId id, long floor, Proof own, Status status, boolean absent) {
    boolean open = status instanceof Status.NotRequested || status instanceof Status.Assigned;
    if (open && own == Proof.NONE) {
      return Step.done(new Running());
    }
    if (status instanceof Status.Passed passed && !absent) {
      return store
          .commitLeader(id, floor, passed.commitTimestamp(), passed.proof())
          .map(StatusQuery::ended);
    }
    Proof proof = own == Proof.NONE ? status.abortable() : own;
    return store
        .abortLeader(id, floor, absent, proof)
        .map(leader -> isUndecided(leader, absent) ? new Running() : ended(leader));
  }

  /** Returns true if the leader, without a proof, was left as it is, or absent. */
  private static boolean isUndecided(Outcome leader, boolean absent) {
    return leader.is(TransactionState.PENDING) || absent && leader.state().isEmpty();
  }

  private static TransactionOutcome ended(Outcome leader) {
    if (leader.state().isEmpty()) {
      return new TooOld(); // it was there when the first call read it: collected since
    }
    if (leader.state().get().isCommitted()) {
      return new Committed(leader.commitTimestamp());
    }
    if (leader.is(TransactionState.ABORTED)) {
      return new Aborted();
    }
    throw new IllegalStateException("a leader is pending after a decision, leader=" + leader);
  }

  private static boolean isRefused(Throwable failure, Refusal.Code code) {
    return failure instanceof StoreRefusedException refused && refused.refusal().code() == code;
  }
}
