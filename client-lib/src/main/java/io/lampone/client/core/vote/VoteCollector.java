package io.lampone.client.core.vote;

import io.lampone.client.ConflictException.Kind;
import io.lampone.client.core.CommitOutcome;
import io.lampone.client.core.CommitOutcome.Aborted;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.step.Event;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.Validator.Assignment;
import io.lampone.protocol.tm.Validator.Validation;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Collects the votes of validators other than the primary (protocol page, section 14). A vote that
 * is not answered is repeated as long as the map still names the validator: votes are idempotent.
 */
public final class VoteCollector {

  /** Limit of validations by a map that has changed meanwhile. */
  public static final int MAX_MAPS = 10;

  private final TransactionManagerPort manager;
  private final RandomGenerator random;
  private final Known known;

  /** Map as last received; the version of a later primary may be lower. */
  private static final class Known {
    private volatile BucketMap map = BucketMap.OF_PRIMARY;
  }

  public VoteCollector(TransactionManagerPort manager, RandomGenerator random) {
    this(manager, random, new Known());
  }

  private VoteCollector(TransactionManagerPort manager, RandomGenerator random, Known known) {
    this.manager = manager;
    this.random = random;
    this.known = known;
  }

  /** Returns the same collector with another manager, e.g. one with another priority. */
  public VoteCollector asking(TransactionManagerPort other) {
    return new VoteCollector(other, random, known);
  }

  /** Returns the map as last received by {@link #refresh}. */
  public BucketMap map() {
    return known.map;
  }

  /** Fetches the map. */
  public Step<BucketMap> refresh() {
    return fetch()
        .map(
            fetched -> {
              known.map = fetched;
              return fetched;
            });
  }

  private Step<BucketMap> fetch() {
    return manager.buckets().map(fetched -> fetched.isSharded() ? fetched : BucketMap.OF_PRIMARY);
  }

  /**
   * Collects all votes.
   *
   * @param deadlineNanos on the monotonic clock: nothing is sent again after it
   * @return why the transaction must not commit; empty if all have agreed
   */
  public Step<Optional<CommitOutcome>> collect(
      Ballot ballot, Assignment assigned, ConflictKeys keys, long deadlineNanos) {
    return Step.all(
            ballot.requests(assigned).stream()
                .map(request -> vote(request, keys, deadlineNanos, 0))
                .toList())
        .map(found -> found.stream().flatMap(Optional::stream).findFirst());
  }

  private Step<Optional<CommitOutcome>> vote(
      Ballot.Request request, ConflictKeys keys, long deadlineNanos, int tries) {
    return manager
        .vote(request.validator(), request.vote())
        .next(
            answer -> {
              if (answer.failure() != null) {
                return again(request, keys, answer, deadlineNanos, tries);
              }
              Validation vote = answer.value();
              if (vote instanceof Validation.Voted) {
                return Step.done(Optional.empty());
              }
              if (vote instanceof Validation.Conflict conflict) {
                return Step.done(Optional.of(conflict(request, keys, conflict)));
              }
              return vote instanceof Validation.Refused refused && refused.reason().isTransient()
                  ? again(request, keys, answer, deadlineNanos, tries)
                  : Step.done(Optional.of(cannotTell(request, String.valueOf(vote))));
            });
  }

  private static CommitOutcome conflict(
      Ballot.Request request, ConflictKeys keys, Validation.Conflict found) {
    int index = found.checkIndex();
    int checks = request.checks().length;
    if (index < checks) {
      int position = request.checks()[index];
      return new Conflict(
          keys.placeOfCheck(position),
          found.winnerCommitTimestamp(),
          keys.isRead(position) ? Kind.READ_WRITE : Kind.WRITE_WRITE);
    }
    return new Conflict(
        keys.placeOfRecord(request.records()[index - checks]),
        found.winnerCommitTimestamp(),
        Kind.LATE);
  }

  private static CommitOutcome cannotTell(Ballot.Request request, String why) {
    return new Aborted(
        Aborted.Reason.NOT_VALIDATED,
        "a validator can no longer tell, validator=" + request.validator() + " answer=" + why,
        null);
  }

  /** Votes again if the map still names the validator. */
  private Step<Optional<CommitOutcome>> again(
      Ballot.Request request,
      ConflictKeys keys,
      Event<Validation> answer,
      long deadlineNanos,
      int tries) {
    if (answer.isAfter(deadlineNanos)) {
      return Step.done(Optional.of(cannotTell(request, "none in time")));
    }
    Duration pause = Backoff.CALLS.delay(tries, random);
    return Step.pause(pause)
        .then(waited -> fetch())
        .next(
            fetched -> {
              boolean gone =
                  fetched.failure() == null
                      && !fetched.value().validators().contains(request.validator());
              return gone
                  ? Step.done(Optional.of(cannotTell(request, "lost")))
                  : vote(request, keys, deadlineNanos, tries + 1);
            });
  }
}
