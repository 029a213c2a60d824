package io.lampone.client.core;

import io.lampone.client.core.failure.AbsentLeaderException;
import io.lampone.client.core.failure.Failures;
import io.lampone.client.core.failure.StoreDeniedException;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Gets an intent out of the way of a fast-path write (protocol page, sections 5 and 8). Unlike a
 * reader, which may look past an intent, a writer has to wait until it is decided, and healed.
 *
 * <pre>
 *   leader COMMITTED, FINAL, ABORTED     heal the row
 *   leader PENDING    manager: passed    finish the commit, heal the row
 *                     conflict, unknown  abort on the leader, heal the row
 *                     not requested      wait; if that took too long, abort on the leader
 *   leader absent                        wait; if that took too long, plant ABORTED there
 *                     below the safe point, or no such table, or denied: ask the row's server
 * </pre>
 *
 * A transaction that has not requested its commit may be at work, or its client may be dead: nobody
 * can tell. Regular transactions come first, so it is given time; but not for ever [E5].
 */
public final class BlockerResolver {

  private final TransactionStore store;
  private final StatusSource manager;

  public BlockerResolver(TransactionStore store, StatusSource manager) {
    this.store = store;
    this.manager = manager;
  }

  /**
   * Does what can be done about one intent.
   *
   * <p>Fails as its store and the transaction manager do; then nothing is known.
   *
   * @param id whose intent it is
   * @param table of the row where it was met
   * @param row where it was met
   * @param patient whether a transaction that may be at work is given more time
   * @return whether the row is free of it now
   */
  public CompletableFuture<Boolean> clear(
      TransactionId id, String table, Bytes row, long floor, boolean patient) {
    return store
        .readLeaders(List.of(id), floor)
        .thenCompose(
            leaders -> {
              Outcome leader = Objects.requireNonNull(leaders.get(id));
              if (leader.state().isEmpty()) {
                return patient
                    ? CompletableFuture.completedFuture(Outcome.NOTHING)
                    : store.abortLeader(id, floor, true, Proof.NONE);
              }
              return leader.is(TransactionState.PENDING)
                  ? decide(id, floor, patient)
                  : CompletableFuture.completedFuture(leader);
            })
        .thenCompose(leader -> heal(id, table, row, floor, leader))
        .exceptionallyCompose(failure -> ask(id, table, row, floor, failure));
  }

  /**
   * Asks the region server of the row to resolve and heal it, if the leader is absent for good or
   * not accessible to this client.
   */
  private CompletableFuture<Boolean> ask(
      TransactionId id, String table, Bytes row, long floor, Throwable failure) {
    if (!AbsentLeaderException.isSaidBy(failure) && !StoreDeniedException.isSaidBy(failure)) {
      return CompletableFuture.failedFuture(Failures.unwrap(failure));
    }
    return store
        .resolve(
            new IntentResolver.Intent(id, new RowFamily(table, row, Bytes.EMPTY), Bytes.EMPTY),
            floor)
        .thenApply(resolved -> true);
  }

  private CompletableFuture<Outcome> decide(TransactionId id, long floor, boolean patient) {
    return manager
        .status(id.startTimestamp(), StatusSource.NO_SNAPSHOT)
        .exceptionally(
            failure -> {
              if (patient) {
                throw new CompletionException(failure);
              }
              return new Status.Unknown(Optional.empty()); // no manager to ask: the leader decides
            })
        .thenCompose(
            status -> {
              if (status instanceof Status.Passed passed) {
                return store.commitLeader(id, floor, passed.commitTimestamp(), passed.proof());
              }
              if (status instanceof Status.NotRequested && patient) {
                return CompletableFuture.completedFuture(Outcome.NOTHING);
              }
              return store.abortLeader(id, floor, false, status.abortable());
            });
  }

  private CompletableFuture<Boolean> heal(
      TransactionId id, String table, Bytes row, long floor, Outcome leader) {
    if (leader.state().isEmpty() || leader.is(TransactionState.PENDING)) {
      return CompletableFuture.completedFuture(false);
    }
    return store
        .heal(id, floor, List.of(new RowFamily(table, row, Bytes.EMPTY)), leader.fate())
        .thenApply(healed -> true);
  }
}
