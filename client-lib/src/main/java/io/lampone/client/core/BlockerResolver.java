package io.lampone.client.core;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.failure.AbsentLeaderException;
import io.lampone.client.core.failure.StoreDeniedException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.tm.StatusSource;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.trust.Proof;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Removes an intent that blocks a fast-path write (protocol page, sections 5 and 8). Unlike a
 * reader, which may read past an intent, a writer must wait until it is decided and healed.
 *
 * <pre>
 *   leader COMMITTED, FINAL, ABORTED     heal the row
 *   leader PENDING    manager: passed    finish the commit, heal the row
 *                     conflict, unknown  abort on the leader, heal the row
 *                     not requested, assigned
 *                                        wait; if that took too long, abort on the leader
 *   leader absent                        wait; if that took too long, plant ABORTED there
 *                     below the safe point, or no such table, or denied: ask the row's server
 * </pre>
 *
 * Whether a transaction without a commit request is still active or its client is dead is
 * undecidable. Regular transactions have priority, so it is given time, but a limited one [E5].
 */
public final class BlockerResolver {

  private final TransactionStore store;
  private final TransactionManagerPort manager;

  public BlockerResolver(TransactionStore store, TransactionManagerPort manager) {
    this.store = store;
    this.manager = manager;
  }

  /**
   * Resolves one intent as far as possible.
   *
   * <p>Fails as its store and the transaction manager do; then nothing is known.
   *
   * @param met the intent's transaction and row, and a column there that this client may read; no
   *     family if none is known
   * @param patient true to give a possibly active transaction more time
   * @return true if the row is free of it now
   */
  public Step<Boolean> clear(Intent met, long floor, boolean patient) {
    TransactionId id = met.id();
    return store
        .readLeaders(List.of(id), floor)
        .then(
            leaders -> {
              Outcome leader = Objects.requireNonNull(leaders.get(id));
              if (leader.state().isEmpty()) {
                return patient
                    ? Step.done(Outcome.NOTHING)
                    : store.abortLeader(id, floor, true, Proof.NONE);
              }
              return leader.is(TransactionState.PENDING)
                  ? decide(id, floor, patient)
                  : Step.done(leader);
            })
        .then(leader -> heal(met, floor, leader))
        .recover(failure -> ask(met, floor, failure));
  }

  /**
   * Requests the row's region server to resolve and heal it, if the leader is absent for good or
   * inaccessible to this client.
   */
  private Step<Boolean> ask(Intent met, long floor, Throwable failure) {
    if (!AbsentLeaderException.isSaidBy(failure) && !StoreDeniedException.isSaidBy(failure)) {
      return Step.failed(failure);
    }
    return store.resolve(met, floor).map(resolved -> true);
  }

  private Step<Outcome> decide(TransactionId id, long floor, boolean patient) {
    return manager
        .status(id.startTimestamp(), StatusSource.NO_SNAPSHOT)
        .recover(
            failure ->
                patient
                    ? Step.failed(failure)
                    // without a transaction manager, the leader decides
                    : Step.done(new Status.Unknown(Optional.empty())))
        .then(
            status -> {
              if (status instanceof Status.Passed passed) {
                return store.commitLeader(id, floor, passed.commitTimestamp(), passed.proof());
              }
              // An assigned transaction whose client still certifies is not aborted, however old.
              boolean certifying =
                  status instanceof Status.Assigned assigned && assigned.proof().isEmpty();
              boolean open =
                  status instanceof Status.NotRequested || status instanceof Status.Assigned;
              if (certifying || open && patient) {
                return Step.done(Outcome.NOTHING);
              }
              return store.abortLeader(id, floor, false, status.abortable());
            });
  }

  private Step<Boolean> heal(Intent met, long floor, Outcome leader) {
    if (leader.state().isEmpty() || leader.is(TransactionState.PENDING)) {
      return Step.done(false);
    }
    RowFamily row = new RowFamily(met.place().table(), met.place().row(), Bytes.EMPTY);
    return store.heal(met.id(), floor, List.of(row), leader.fate()).map(healed -> true);
  }
}
