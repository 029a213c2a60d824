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
 * Post-commit work of transactions, in the background and bounded (protocol page, section 4). None
 * of it is needed for correctness: readers resolve whatever is left undone.
 *
 * <p>Order matters twice. The leader becomes FINAL only when every follower is COMMITTED, because
 * FINAL allows a collector to drop the leader. And the leader is durably ABORTED before any
 * follower is changed [M11].
 *
 * <p>The work after commits is batched over several transactions ({@link PostCommitBatcher}).
 */
public final class PostCommit {

  private final TransactionStore store;
  private final int limit;
  private final PostCommitBatcher postCommitBatcher;

  // running jobs; changed by all threads, never above limit
  private final AtomicLong underWay = new AtomicLong();
  // jobs beyond the limit; for metrics
  private final AtomicLong dropped = new AtomicLong();
  // jobs that failed; for metrics
  private final AtomicLong failed = new AtomicLong();

  /**
   * @param limit maximum of running jobs; further ones are dropped
   */
  public PostCommit(TransactionStore store, int limit) {
    this.store = store;
    this.limit = limit;
    this.postCommitBatcher = new PostCommitBatcher(store, this::ended);
  }

  /**
   * Returns the job after a commit: followers to COMMITTED; when all are, the leader to FINAL.
   *
   * @return step that starts the job; the job counts as running before, so that a caller that waits
   *     for its end does not overlook it. It starts after the application has its reply, which
   *     should not wait for requests of no interest to it
   */
  public Step<Void> afterCommit(
      TransactionId id, long floor, Collection<RowFamily> followers, Fate fate, Grant grant) {
    Settling one = new Settling(id, floor, followers, fate, grant);
    return takePlace() ? Step.fork(postCommitBatcher.add(one)) : Step.done();
  }

  /**
   * Returns the fate of a committed transaction of this client whose followers may still appear
   * undecided. COMMITTED is final, so that the leader need not be read.
   */
  public Optional<Fate> commitOf(TransactionId id) {
    return postCommitBatcher.commitOf(id);
  }

  /**
   * Starts the job after an abort.
   *
   * @param plant true if the leader's intent may still be in transit: then absence becomes ABORTED
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

  /** Ends the intents; without a leader only region servers can state that it never commits. */
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

  /** Returns the number of running jobs. */
  public long underWay() {
    return underWay.get();
  }

  /** Returns the number of jobs dropped because of the limit. */
  public long dropped() {
    return dropped.get();
  }

  /** Returns the number of failed jobs; readers do their work. */
  public long failed() {
    return failed.get();
  }

  /** Starts a job unless the limit is reached. */
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
