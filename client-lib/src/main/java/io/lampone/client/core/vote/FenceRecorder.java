package io.lampone.client.core.vote;

import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Records the fence of a table at all its owners, like a transaction without writes: transactions
 * that began earlier and check it fail to commit.
 *
 * <p>After a refusal the next attempt begins with a fresh start timestamp, and so gets another
 * commit timestamp; the first ones would be refused for ever. The new ones
 *
 * <ul>
 *   <li>are above the commit timestamps of writers that have checked the fence meanwhile: these
 *       refuse an attempt as late, which happens again and again where many write,
 *   <li>are above the watermarks of the validators, and above the floor of another primary,
 *   <li>need no vote of an era that a lost validator owned before.
 * </ul>
 *
 * <p>A later fence fails all that an earlier one would have failed. The table's schema floor was
 * raised before the first attempt and is below every commit timestamp of the fence: it stays. What
 * a part of the validators has recorded for a refused attempt can only refuse transactions that
 * began before it, which the fence refuses anyway.
 */
public final class FenceRecorder {

  /** Backoff of attempts: short, as those that came before say nothing on the next one. */
  private static final Backoff ANEW = new Backoff(Duration.ofMillis(10), Duration.ofMillis(100));

  private final TransactionManagerPort manager;
  private final RandomGenerator random;
  private final VoteCollector votes;

  public FenceRecorder(TransactionManagerPort manager, RandomGenerator random) {
    this.manager = manager;
    this.random = random;
    this.votes = new VoteCollector(manager, random);
  }

  /**
   * Records the fence. Fails with {@link TransactionManagerException} if it may not have been
   * recorded everywhere; the caller may then try again.
   *
   * @param begin a fresh start timestamp, of the first attempt
   * @param deadlineNanos on the monotonic clock: nothing is sent again after it
   */
  public Step<Void> record(Begin begin, String table, long deadlineNanos) {
    return attempt(begin, table, deadlineNanos, 0);
  }

  private Step<Void> attempt(Begin begin, String table, long deadlineNanos, int tries) {
    ConflictKeys keys = new ConflictKeys();
    keys.recordFence(table);
    return validate(begin, keys, BucketMap.OF_PRIMARY, deadlineNanos, 0)
        .then(
            refusal ->
                refusal.isEmpty() ? Step.done() : anew(refusal.get(), table, deadlineNanos, tries));
  }

  private Step<Void> anew(String refusal, String table, long deadlineNanos, int tries) {
    return Step.pause(ANEW.delay(tries, random))
        .next(
            waited ->
                waited.isAfter(deadlineNanos)
                    ? failed(refusal)
                    : manager
                        .begin()
                        .then(begin -> attempt(begin, table, deadlineNanos, tries + 1)));
  }

  /** Makes one attempt; completes with the refusal, empty if the fence has been recorded. */
  private Step<Optional<String>> validate(
      Begin begin, ConflictKeys keys, BucketMap map, long deadlineNanos, int maps) {
    long start = begin.startTimestamp();
    Ballot ballot = new Ballot(map, start, keys);
    if (!ballot.isComplete()) {
      return refused("a validator is lost");
    }
    return manager
        .validate(
            new Validator.Request(
                start,
                begin.grant(),
                maps == 0,
                ballot.checkAtPrimary(),
                ballot.recordAtPrimary(),
                new Validator.Terms(!ballot.isAtPrimary(), false, ballot.mapVersion())))
        .then(
            answer -> {
              if (answer instanceof Validation.Passed) {
                return Step.done(Optional.empty());
              }
              if (answer instanceof Validation.Assigned assigned) {
                Validator.Assignment assignment =
                    new Validator.Assignment(start, assigned.commitTimestamp(), assigned.proof());
                return votes
                    .collect(ballot, assignment, keys, deadlineNanos)
                    .map(against -> against.map(String::valueOf));
              }
              return answer instanceof Validation.Refused refused
                      && refused.reason() == Validator.Reason.MOVED
                      && maps < VoteCollector.MAX_MAPS
                  ? votes
                      .refresh()
                      .then(fetched -> validate(begin, keys, fetched, deadlineNanos, maps + 1))
                  : refused(String.valueOf(answer));
            });
  }

  private static Step<Optional<String>> refused(String answer) {
    return Step.done(Optional.of(answer));
  }

  private static Step<Void> failed(String answer) {
    return Step.failed(
        new TransactionManagerException(
            Kind.UNAVAILABLE, "the fence was not recorded: try again, answer=" + answer));
  }
}
