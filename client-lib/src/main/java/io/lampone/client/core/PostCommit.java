package io.lampone.client.core;

import io.lampone.client.core.TransactionStore.Settling;
import io.lampone.client.core.failure.AbsentLeaderException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The work after the end of a transaction, in the background and bounded (protocol page, section
 * 4). None of it is needed for correctness: whoever meets what was left undone resolves it.
 *
 * <p>Order matters twice. The leader becomes FINAL only when every follower is COMMITTED, because
 * FINAL allows a collector to drop the leader. And the leader is durably ABORTED before any
 * follower is touched [M11].
 *
 * <p>What follows commits is done for several transactions together ({@link PostCommitBatcher}).
 */
public final class PostCommit {

  private final TransactionStore store;
  private final int limit;
  private final PostCommitBatcher postCommitBatcher;

  // jobs under way; changed by everybody, never above limit
  private final AtomicLong underWay = new AtomicLong();
  // jobs that found no place; for metrics
  private final AtomicLong dropped = new AtomicLong();
  // jobs that failed; for metrics
  private final AtomicLong failed = new AtomicLong();

  /**
   * @param limit how many jobs may be under way; further ones are dropped
   */
  public PostCommit(TransactionStore store, int limit) {
    this.store = store;
    this.limit = limit;
    this.postCommitBatcher = new PostCommitBatcher(store, this::ended);
  }

  /**
   * After a commit: followers to COMMITTED; when all are, the leader to FINAL.
   *
   * @return starts it; until then it is under way already, so that a caller that waits for the end
   *     of such work does not overlook it. It starts when the application has been told, which is
   *     not to wait while requests are made that it has no interest in
   */
  public Step<Void> afterCommit(
      TransactionId id, long floor, Collection<RowFamily> followers, Fate fate, Grant grant) {
    Settling one = new Settling(id, floor, followers, fate, grant);
    return takePlace() ? Step.fork(postCommitBatcher.add(one)) : Step.done();
  }

  /**
   * The fate of a transaction of this client that has committed and whose followers may still look
   * undecided. Nothing leaves COMMITTED, so that the leader need not be asked.
   */
  public Optional<Fate> commitOf(TransactionId id) {
    return postCommitBatcher.commitOf(id);
  }

  /**
   * After an abort.
   *
   * @param plant whether the leader's intent may still be under way: then absence becomes ABORTED
   */
  public Step<Void> afterAbort(
      TransactionId id, long floor, Collection<RowFamily> followers, boolean plant, Grant grant) {
    return background(
        Step.begin(
            event ->
                store
                    .abortLeader(id, floor, plant, grant)
                    .then(leader -> abortFollowers(id, floor, followers, leader))
                    .recover(failure -> endWithoutLeader(id, floor, followers, failure))));
  }

  /** Without a leader only region servers can say that it never commits. */
  private Step<Void> endWithoutLeader(
      TransactionId id, long floor, Collection<RowFamily> followers, Throwable failure) {
    return failure instanceof AbsentLeaderException
        ? Step.all(
                followers.stream()
                    .map(place -> store.resolve(new IntentResolver.Intent(id, place), floor))
                    .toList())
            .then(resolved -> Step.done())
        : Step.failed(failure);
  }

  private Step<Void> abortFollowers(
      TransactionId id, long floor, Collection<RowFamily> followers, Outcome leader) {
    return leader.is(TransactionState.ABORTED)
        ? store.heal(id, floor, followers, leader.fate())
        : Step.done();
  }

  /** Writes a known fate onto intents that a reader has met. */
  public Step<Void> heal(TransactionId id, long floor, List<RowFamily> places, Fate fate) {
    return background(Step.begin(event -> store.heal(id, floor, places, fate)));
  }

  /** Jobs under way. */
  public long underWay() {
    return underWay.get();
  }

  /** Jobs that were dropped because too many were under way. */
  public long dropped() {
    return dropped.get();
  }

  /** Jobs that failed; their work is left to readers. */
  public long failed() {
    return failed.get();
  }

  /** Starts a job if there is a place for it. */
  private Step<Void> background(Step<Void> job) {
    return takePlace()
        ? Step.fork(
            job.next(
                event -> {
                  ended(event.failure() == null);
                  return Step.done();
                }))
        : Step.done();
  }

  private boolean takePlace() {
    if (underWay.incrementAndGet() > limit) {
      underWay.decrementAndGet();
      dropped.incrementAndGet();
      return false;
    }
    return true;
  }

  private void ended(boolean done) {
    underWay.decrementAndGet();
    if (!done) {
      failed.incrementAndGet();
    }
  }
}
