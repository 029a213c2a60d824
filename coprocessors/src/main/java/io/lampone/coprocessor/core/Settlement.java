package io.lampone.coprocessor.core;

import io.lampone.coprocessor.core.HealingRules.Step;
import io.lampone.coprocessor.core.HealingStore.BelowSafePointException;
import io.lampone.protocol.RegionReply.Outcome;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Settles one transaction that has left something behind: finds its fate as {@link HealingRules}
 * say, writes it onto followers, and makes its leader FINAL once every follower has it.
 *
 * <p>Every write is a compare-and-set of {@link StateRules}, so that two healers, readers and the
 * transaction itself may do all of this at the same time.
 */
public final class Settlement {

  private final HealingStore store;
  private final ManagerStatus manager;

  /** What became of it. */
  public enum Result {
    /** Nothing is left that this call was about. */
    SETTLED,
    /** It may still be at work. */
    LEFT,
    /** Committed and larger than the list of its followers: somebody has to look for them. */
    UNLISTED
  }

  public Settlement(HealingStore store, ManagerStatus manager) {
    this.store = store;
    this.manager = manager;
  }

  /**
   * Settles.
   *
   * @param followers pending followers that were met
   * @param leader the leader's cell, if that was met
   * @param over see {@link HealingRules}
   */
  public Result settle(
      TransactionId id,
      Collection<RowFamily> followers,
      Optional<TransactionCell> leader,
      long over)
      throws IOException {
    OptionalLong fate =
        leader
            .filter(cell -> cell.state() == TransactionState.COMMITTED)
            .map(cell -> OptionalLong.of(cell.commitTimestamp()))
            .orElse(OptionalLong.empty());
    if (fate.isEmpty()) {
      fate = fate(id, new HealingRules(over));
    }
    if (fate.isEmpty()) {
      return Result.LEFT;
    }
    if (!followers.isEmpty()) {
      store.heal(id.startTimestamp(), followers, fate.getAsLong());
    }
    return leader.isPresent() ? finish(id, leader.get(), over) : Result.SETTLED;
  }

  /**
   * Only a list that was read COMMITTED is trusted: the one of a pending leader may have been read
   * before the last flush completed it. The next pass reads it again.
   *
   * <p>Who wrote more than the list may hold knows all places himself, and finishes by himself.
   * Where he has not by the time that his snapshot is below the safe point, they are sought. That
   * finds all of them [R5]: each was visible before the commit was requested, so before the leader
   * was read COMMITTED, so before the search; and a late duplicate of a flush puts none back.
   */
  private Result finish(TransactionId id, TransactionCell leader, long over) throws IOException {
    if (leader.state() != TransactionState.COMMITTED) {
      return Result.SETTLED;
    }
    if (!leader.followersComplete() && id.startTimestamp() >= over) {
      return Result.UNLISTED;
    }
    // First the followers, then FINAL: that allows a collector to drop the leader.
    if (leader.followersComplete()) {
      store.heal(id.startTimestamp(), leader.followers(), leader.commitTimestamp());
    } else {
      store.healEverywhere(id, leader.commitTimestamp());
    }
    store.finishLeader(id, leader.commitTimestamp());
    return Result.SETTLED;
  }

  /** The commit timestamp, 0 for aborted; empty if it may still be at work. */
  private OptionalLong fate(TransactionId id, HealingRules rules) throws IOException {
    long start = id.startTimestamp();
    Step step = rules.byLeader(start, store.readLeader(id));
    if (step instanceof Step.AskManager) {
      step = rules.byStatus(start, manager.status(start));
    }
    if (step instanceof Step.FinishCommit finish) {
      return decided(store.commitLeader(id, finish.commitTimestamp()));
    }
    if (step instanceof Step.AbortLeader abort) {
      try {
        return decided(store.abortLeader(id, abort.plant()));
      } catch (BelowSafePointException e) {
        // The leader is absent and can never be put any more. Had it been committed it would be
        // there, or FINAL and collected; but FINAL comes after every follower was healed, and those
        // are healed from PENDING only. So whatever is still PENDING after this answer belongs to
        // nobody who committed. The heal that follows looks at it again, under the row lock [M6].
        return OptionalLong.of(0);
      }
    }
    return step instanceof Step.Heal heal
        ? OptionalLong.of(heal.commitTimestamp())
        : OptionalLong.empty();
  }

  /**
   * What a leader holds after a compare-and-set; absent or pending: whoever comes next finds out.
   */
  private static OptionalLong decided(Outcome leader) {
    if (leader.state().isEmpty() || leader.is(TransactionState.PENDING)) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(leader.commitTimestamp());
  }
}
