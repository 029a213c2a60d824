package io.lampone.client.core.vote;

import io.lampone.client.core.CommitOutcome;
import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Records the fence of a table at all its owners, like a transaction without writes: transactions
 * that began earlier and check it fail to commit.
 */
public final class FenceRecorder {

  private final TransactionManagerPort manager;
  private final VoteCollector votes;

  public FenceRecorder(TransactionManagerPort manager, RandomGenerator random) {
    this.manager = manager;
    this.votes = new VoteCollector(manager, random);
  }

  /**
   * Records the fence. Fails with {@link TransactionManagerException} if it may not have been
   * recorded everywhere; the caller may then try again.
   *
   * @param begin a fresh start timestamp
   * @param deadlineNanos on the monotonic clock: nothing is sent again after it
   */
  public Step<Void> record(Begin begin, String table, long deadlineNanos) {
    ConflictKeys keys = new ConflictKeys();
    keys.recordFence(table);
    return validate(begin, keys, BucketMap.OF_PRIMARY, deadlineNanos, 0);
  }

  private Step<Void> validate(
      Begin begin, ConflictKeys keys, BucketMap map, long deadlineNanos, int maps) {
    long start = begin.startTimestamp();
    Ballot ballot = new Ballot(map, start, keys);
    if (!ballot.isComplete()) {
      return failed("a validator is lost");
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
                return Step.done();
              }
              if (answer instanceof Validation.Assigned assigned) {
                Validator.Assignment assignment =
                    new Validator.Assignment(start, assigned.commitTimestamp(), assigned.proof());
                return votes
                    .collect(ballot, assignment, keys, deadlineNanos)
                    .then(FenceRecorder::ended);
              }
              return answer instanceof Validation.Refused refused
                      && refused.reason() == Validator.Reason.MOVED
                      && maps < VoteCollector.MAX_MAPS
                  ? votes
                      .refresh()
                      .then(fetched -> validate(begin, keys, fetched, deadlineNanos, maps + 1))
                  : failed(String.valueOf(answer));
            });
  }

  private static Step<Void> ended(Optional<CommitOutcome> against) {
    return against.isEmpty() ? Step.done() : failed(String.valueOf(against.get()));
  }

  private static Step<Void> failed(String answer) {
    return Step.failed(
        new TransactionManagerException(
            Kind.UNAVAILABLE, "the fence was not recorded: try again, answer=" + answer));
  }
}
