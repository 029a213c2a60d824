package io.lampone.coprocessor.core.healing;

import io.lampone.coprocessor.core.fence.TransactionStatusSource;
import io.lampone.coprocessor.core.healing.HealingRules.Step;
import io.lampone.coprocessor.core.healing.HealingStore.AbsentForGoodException;
import io.lampone.coprocessor.core.intent.StateRules;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.trust.Proof;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Settles one transaction that has left cells behind: determines its fate by {@link HealingRules},
 * writes it to followers, and makes its leader FINAL once every follower has it.
 *
 * <p>Every write is a compare-and-set of {@link StateRules}, so two healers, readers and the
 * transaction itself may do all of this concurrently.
 */
public final class Settlement {

  private final HealingStore store;
  private final TransactionStatusSource manager;

  /** Followers per request: a list is never held as a whole. */
  private static final int PLACES_AT_ONCE = 1_000;

  private final FollowerSearch search;

  private final AssignedTransactions assigned;

  /** Result of a call. */
  public enum Result {
    /** No transaction of this call is left unsettled. */
    SETTLED,
    /** A transaction may still be active. */
    LEFT,
    /**
     * Committed, with more followers than its list holds: its client finishes it, or the {@link
     * FollowerSearch}.
     */
    UNLISTED
  }

  /**
   * @param search receives transactions with unlisted followers
   */
  public Settlement(
      HealingStore store, TransactionStatusSource manager, FollowerSearch search, Clock clock) {
    this(store, manager, search, new AssignedTransactions(clock, AssignedTransactions.PATIENCE));
  }

  /**
   * @param assigned state kept across calls
   */
  public Settlement(
      HealingStore store,
      TransactionStatusSource manager,
      FollowerSearch search,
      AssignedTransactions assigned) {
    this.assigned = assigned;
    this.store = store;
    this.manager = manager;
    this.search = search;
  }

  /**
   * Settles a transaction.
   *
   * @param followers pending followers that were met
   * @param leader the leader's cell, if it was met
   * @param over see {@link HealingRules}
   */
  public Result settle(
      TransactionId id,
      Collection<RowFamily> followers,
      Optional<TransactionCell> leader,
      long over)
      throws IOException {
    // Read even if the leader was met: its server verifies its proof.
    Optional<Fate> fate = fate(id, new HealingRules(over, false));
    if (fate.isEmpty()) {
      return Result.LEFT;
    }
    assigned.ended(id.startTimestamp());
    heal(id, followers, fate.get());
    long commit = fate.get().commitTimestamp();
    return leader.filter(cell -> cell.commitTimestamp() == commit).isPresent()
        ? finish(id, leader.get(), over)
        : Result.SETTLED;
  }

  /**
   * Determines the fate of a transaction for readers, and writes it to the cells that they met.
   * Reads only the transaction's own leader, never one that a reader names.
   *
   * @param met its pending cells; one of them may be the leader
   * @param over see {@link HealingRules}
   * @return whether that is done; otherwise the transaction may still be active
   */
  public boolean resolve(TransactionId id, Collection<RowFamily> met, long over)
      throws IOException {
    Optional<Fate> fate = fate(id, new HealingRules(over, true));
    if (fate.isPresent()) {
      heal(id, met, fate.get()); // leaves a leader unchanged
    }
    return fate.isPresent();
  }

  private void heal(TransactionId id, Collection<RowFamily> followers, Fate fate)
      throws IOException {
    Collection<RowFamily> places =
        fate.byAbsence() ? stillPending(id.startTimestamp(), followers) : followers;
    if (!places.isEmpty()) {
      store.heal(id, places, fate.commitTimestamp());
    }
  }

  /**
   * Decided outcome of a transaction.
   *
   * @param commitTimestamp 0 = aborted
   * @param byAbsence whether it follows only from the permanent absence of the leader: then it
   *     holds only for followers that are still pending after that was found
   */
  private record Fate(long commitTimestamp, boolean byAbsence) {}

  /**
   * Returns the followers that are pending <em>now</em>. They were met before the leader was found
   * absent; meanwhile its client may have healed them and a collector may have dropped the leader.
   * Aborting such a follower would give it a second fate and raise a false alarm.
   */
  private Collection<RowFamily> stillPending(long start, Collection<RowFamily> followers)
      throws IOException {
    List<RowFamily> pending = new ArrayList<>();
    for (RowFamily place : followers) {
      if (isPending(start, place)) {
        pending.add(place);
      }
    }
    return pending;
  }

  private boolean isPending(long start, RowFamily place) throws IOException {
    try {
      return store.read(start, place).is(TransactionState.PENDING);
    } catch (AbsentForGoodException e) {
      return false;
    }
  }

  /**
   * Finishes a committed leader. Only a list read as COMMITTED is trusted: that of a pending leader
   * may have been read before the last flush completed it. The next pass reads it again.
   *
   * <p>The client of a transaction with more followers than the list may hold finishes it. If it
   * has not done so when the snapshot is below the safe point, the followers are searched for. The
   * search finds all of them [R5]: each was visible before the commit was requested, so before the
   * leader was read as COMMITTED, so before the search; and a late duplicate of a flush creates
   * none.
   */
  private Result finish(TransactionId id, TransactionCell leader, long over) throws IOException {
    if (leader.state() != TransactionState.COMMITTED) {
      return Result.SETTLED;
    }
    if (!leader.followersComplete()) {
      if (id.startTimestamp() < over) {
        search.add(id, leader.commitTimestamp());
      }
      return Result.UNLISTED;
    }
    // First the followers, then FINAL, which allows a collector to drop the leader.
    healListed(id, leader);
    store.finishLeader(id, leader.commitTimestamp());
    return Result.SETTLED;
  }

  /** Heals the listed followers, except those in impossible places. */
  private void healListed(TransactionId id, TransactionCell leader) throws IOException {
    List<RowFamily> some = new ArrayList<>();
    for (RowFamily place : leader.followers()) {
      if (place.isLegal()) {
        some.add(place);
      }
      if (some.size() == PLACES_AT_ONCE) {
        store.heal(id, some, leader.commitTimestamp());
        some.clear();
      }
    }
    if (!some.isEmpty()) {
      store.heal(id, some, leader.commitTimestamp());
    }
  }

  /** Returns the fate; empty if the transaction may still be active. */
  private Optional<Fate> fate(TransactionId id, HealingRules rules) throws IOException {
    try {
      return toldFate(id, rules);
    } catch (AbsentForGoodException e) {
      // The leader is absent and can never be put any more. Had it been committed, it would be
      // there, or FINAL and collected; but FINAL comes after every follower was healed, and only
      // PENDING ones are healed. So a follower that is still PENDING after this answer belongs to
      // no committed transaction. The heal checks that again under the row lock [M6]. If the
      // leader's table was dropped, a commit may have been lost with it: that can never be
      // determined, so all take it for an abort.
      return rules.mayConclude(id.startTimestamp())
          ? Optional.of(new Fate(0, true))
          : Optional.empty();
    }
  }

  private Optional<Fate> toldFate(TransactionId id, HealingRules rules) throws IOException {
    long start = id.startTimestamp();
    Outcome leader = store.read(start, id.leader());
    Step step = rules.byLeader(start, leader);
    if (step instanceof Step.AskManager) {
      Status status = manager.status(start);
      boolean metAgain =
          !rules.isAwaited() && status instanceof Status.Assigned && assigned.metAgain(start);
      step = rules.byStatus(start, status, leader.state().isEmpty(), metAgain);
    }
    if (step instanceof Step.AskTable && store.isClosedTo(id)) {
      return decided(store.abortLeader(id, true, Proof.NONE));
    }
    if (step instanceof Step.FinishCommit finish) {
      return decided(store.commitLeader(id, finish.passed()));
    }
    if (step instanceof Step.AbortLeader abort) {
      return decided(store.abortLeader(id, abort.plant(), abort.proof()));
    }
    return step instanceof Step.Heal heal
        ? Optional.of(new Fate(heal.commitTimestamp(), false))
        : Optional.empty();
  }

  /**
   * Returns the decided state of a leader after a compare-and-set; empty if it is absent or
   * pending, which the next call resolves.
   */
  private static Optional<Fate> decided(Outcome leader) {
    if (leader.state().isEmpty() || leader.is(TransactionState.PENDING)) {
      return Optional.empty();
    }
    return Optional.of(new Fate(leader.commitTimestamp(), false));
  }
}
