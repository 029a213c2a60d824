package io.lampone.client.core;

import io.lampone.client.ConflictException.Kind;
import io.lampone.client.SnapshotTooOldException;
import io.lampone.client.core.CommitOutcome.Aborted;
import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.CommitOutcome.Unknown;
import io.lampone.client.core.certify.Prolongation;
import io.lampone.client.core.certify.ReadCertifier;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.progress.ProgressReporter;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.client.core.slow.TransactionTrace.Phase;
import io.lampone.client.core.step.Event;
import io.lampone.client.core.step.Step;
import io.lampone.client.core.vote.Ballot;
import io.lampone.client.core.vote.VoteCollector;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Tag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Machine from the last acknowledged intent to the outcome (protocol page, section 4).
 *
 * <pre>
 *   VALIDATING --Passed-->  COMMITTING --COMMITTED(mine)/FINAL--> Committed
 *       |                        +--ABORTED---------------------> Aborted
 *       |                        +--absent, or no answer--------> Unknown
 *       +--Conflict (a decision) -------------------------------> Conflict
 *       +--Refused, forgotten, no answer --> ABORTING --ABORTED-> Aborted
 *       |                                     ^  +--COMMITTED---> Committed
 *       |                                     |  +--absent, none> Unknown
 *       +--Assigned--> CERTIFYING --changed, voted down (Conflict), no answer
 *       |                   +--unchanged, and every vote is yes--> COMMITTING
 *       +--Refused, moved --> fetch the map of validators, VALIDATING
 * </pre>
 *
 * A serializable transaction with reads beyond its writes is assigned its commit timestamp instead
 * of being passed: only this client may commit it, after the regions of its reads have certified it
 * (ADR 80, 81). The same holds if other validators than the primary own some of its conflict hashes
 * (ADR 91). Otherwise the protocol is that of SNAPSHOT.
 *
 * <p>Once the commit request has left, only three things end the transaction: a recorded decision
 * CONFLICT, COMMITTED or FINAL on its leader, ABORTED on its leader [M4, M5]. Every other reply of
 * the transaction manager, or none, leads to ABORTING: a compare-and-set to ABORTED on the leader,
 * whose state afterwards is authoritative. An absent leader proves nothing [M9].
 */
public final class CommitProtocol {

  private final TransactionStore store;
  private final TransactionManagerPort validator;
  private final RandomGenerator random;
  private final ProgressReporter progress;
  private final VoteCollector votes;

  public CommitProtocol(
      TransactionStore store,
      TransactionManagerPort validator,
      RandomGenerator random,
      ProgressReporter progress) {
    this(store, validator, random, progress, new VoteCollector(validator, random));
  }

  private CommitProtocol(
      TransactionStore store,
      TransactionManagerPort validator,
      RandomGenerator random,
      ProgressReporter progress,
      VoteCollector votes) {
    this.progress = progress;
    this.votes = votes;
    this.store = store;
    this.validator = validator;
    this.random = random;
  }

  /** Returns the same protocol with another validator, e.g. one with another priority. */
  public CommitProtocol asking(TransactionManagerPort other) {
    return new CommitProtocol(store, other, random, progress, votes.asking(other));
  }

  /** Returns the owners of the buckets as last received. */
  public BucketMap map() {
    return votes.map();
  }

  /** Fetches the owners of the buckets. */
  public Step<BucketMap> refreshMap() {
    return votes.refresh();
  }

  /**
   * Commits a transaction all of whose intents are acknowledged. Never fails: every failure is an
   * outcome.
   *
   * @param keys conflict keys of its writes
   * @param reads reads that must be certified
   * @param resolver judge of intents in ranges
   * @param deadlineNanos on the monotonic clock: nothing is sent again after it
   * @param trace measures the phases
   */
  public Step<CommitOutcome> commit(
      TransactionId id,
      Begin begin,
      ConflictKeys keys,
      ReadSet.Unprotected reads,
      IntentResolver resolver,
      long deadlineNanos,
      TransactionTrace trace) {
    reads.points().forEach(point -> point.addTo(keys));
    Attempt attempt = new Attempt(id, begin, keys, reads, resolver, deadlineNanos, trace);
    boolean reported = progress.isActive();
    Step<CommitOutcome> committing = attempt.begin(true, 0);
    return (reported ? committing.map(attempt::reported) : committing)
        .recover(
            failure -> Step.done(new Unknown(id, "commit failed in an unforeseen way", failure)));
  }

  /** Commit of one transaction. */
  private final class Attempt {

    private final TransactionId id;
    private final Begin begin;
    private final ConflictKeys keys;
    private final ReadSet.Unprotected reads;
    private final IntentResolver resolver;
    private final long deadlineNanos;
    private final TransactionTrace trace;

    /** Owners of the hashes; replaced when the map has changed. */
    private Ballot ballot;

    /** Commit timestamp once it is known; 0 = unknown. */
    private long knownTimestamp;

    Attempt(
        TransactionId id,
        Begin begin,
        ConflictKeys keys,
        ReadSet.Unprotected reads,
        IntentResolver resolver,
        long deadlineNanos,
        TransactionTrace trace) {
      this.trace = trace;
      this.id = id;
      this.begin = begin;
      this.keys = keys;
      this.reads = reads;
      this.resolver = resolver;
      this.deadlineNanos = deadlineNanos;
      this.ballot = new Ballot(votes.map(), id.startTimestamp(), keys);
    }

    /** Validates by the map of the ballot. */
    Step<CommitOutcome> begin(boolean firstSending, int maps) {
      if (!ballot.isComplete()) {
        return abort(Aborted.Reason.NOT_VALIDATED, "a validator of this transaction is lost", null);
      }
      return validate(
          new Validator.Request(
              id.startTimestamp(),
              begin.grant(),
              firstSending,
              ballot.checkAtPrimary(),
              ballot.recordAtPrimary(),
              new Validator.Terms(
                  !reads.isEmpty() || !ballot.isAtPrimary(),
                  progress.isActive(),
                  ballot.mapVersion())),
          0,
          maps);
    }

    /** Validates again by the map of now: this one may have lacked a validator. */
    private Step<CommitOutcome> moved(int maps) {
      return refreshMap()
          .next(
              fetched -> {
                if (fetched.failure() != null
                    || maps == VoteCollector.MAX_MAPS
                    || fetched.isAfter(deadlineNanos)) {
                  return abort(
                      Aborted.Reason.NO_VALIDATION,
                      "the validators are unknown",
                      fetched.failure());
                }
                ballot = new Ballot(votes.map(), id.startTimestamp(), keys);
                return begin(false, maps + 1);
              });
    }

    /** Reports the end of the transaction, unless it may still be decided on its leader. */
    CommitOutcome reported(CommitOutcome outcome) {
      if (knownTimestamp != 0 && !(outcome instanceof Unknown)) {
        progress.ended(knownTimestamp);
      }
      return outcome;
    }

    private Step<CommitOutcome> validate(Validator.Request request, int tries, int maps) {
      return trace
          .measure(Phase.VALIDATE, () -> validator.validate(request))
          .next(
              answer -> {
                Throwable failure = answer.failure();
                if (failure != null) {
                  return abort(
                      Aborted.Reason.NO_VALIDATION,
                      "no answer from the transaction manager",
                      tellsMoreThanAborted(failure) ? failure : null);
                }
                Validation validation = answer.value();
                if (validation instanceof Validation.Passed passed) {
                  knownTimestamp = passed.commitTimestamp();
                  return !request.conditional()
                      ? commitLeader(passed.commitTimestamp(), passed.proof(), 0)
                      : abort(
                          Aborted.Reason.NOT_CERTIFIED,
                          "passed by a manager that does not wait for certification",
                          null);
                }
                if (validation instanceof Validation.Assigned assigned) {
                  knownTimestamp = assigned.commitTimestamp();
                  return certify(request, assigned);
                }
                if (validation instanceof Validation.Conflict conflict) {
                  int position = ballot.positionOfCheck(conflict.checkIndex());
                  return Step.done(
                      new Conflict(
                          keys.placeOfCheck(position),
                          conflict.winnerCommitTimestamp(),
                          keys.isRead(position) ? Kind.READ_WRITE : Kind.WRITE_WRITE));
                }
                Validation.Refused refused = (Validation.Refused) validation;
                if (refused.reason() == Validator.Reason.MOVED) {
                  return moved(maps);
                }
                if (refused.reason().isTransient() && !answer.isAfter(deadlineNanos)) {
                  Duration pause =
                      Duration.ofMillis(refused.retryAfterMillis())
                          .plus(Backoff.CALLS.delay(tries, random));
                  return Step.pause(pause)
                      .then(waited -> validate(request.repeated(), tries + 1, maps));
                }
                return abort(
                    Aborted.Reason.NOT_VALIDATED,
                    "refused by the transaction manager, reason=" + refused.reason(),
                    refused.reason() == Validator.Reason.BELOW_SAFE_POINT
                        ? new SnapshotTooOldException(
                            id.startTimestamp(),
                            "the transaction lived longer than snapshots are kept: run it again,"
                                + " startTimestamp="
                                + id.startTimestamp())
                        : null);
              });
    }

    /**
     * Certifies the reads and collects the votes. Anything but a timely reply "unchanged" or "yes"
     * leads to an abort, because nothing else is known.
     */
    private Step<CommitOutcome> certify(Validator.Request request, Validation.Assigned assigned) {
      long commitTimestamp = assigned.commitTimestamp();
      ReadCertifier certifier =
          new ReadCertifier(
              store,
              resolver,
              new TransactionStore.Certification(
                  id.startTimestamp(),
                  commitTimestamp,
                  begin.floor(),
                  assigned.proof(),
                  reads.points(),
                  deadlineNanos));
      List<Step<Optional<CommitOutcome>>> asked = new ArrayList<>(3);
      if (!reads.points().isEmpty()) {
        asked.add(certifier.points());
      }
      if (!reads.ranges().isEmpty()) {
        asked.add(new Prolongation(validator, request).during(certifier.ranges(reads.ranges())));
      }
      if (!ballot.isAtPrimary()) {
        asked.add(
            votes.collect(
                ballot,
                new Validator.Assignment(id.startTimestamp(), commitTimestamp, assigned.proof()),
                keys,
                deadlineNanos));
      }
      return trace
          .measure(Phase.CERTIFY, () -> Step.all(asked))
          .next(
              answer -> {
                Throwable failure = answer.failure();
                if (failure != null) {
                  return abort(
                      Aborted.Reason.NOT_CERTIFIED,
                      "what was read could not be certified",
                      failure);
                }
                return answer.value().stream()
                    .flatMap(Optional::stream)
                    .findFirst()
                    .map(conflict -> abort(conflict, 0))
                    .orElseGet(() -> commitLeader(commitTimestamp, assigned.proof(), 0));
              });
    }

    /** Executes the commit point. Repetition is safe: a compare-and-set to one known value. */
    private Step<CommitOutcome> commitLeader(long commitTimestamp, Tag pass, int tries) {
      return trace
          .measure(Phase.LEADER, () -> store.commitLeader(id, begin.floor(), commitTimestamp, pass))
          .next(
              answer -> {
                if (answer.failure() != null) {
                  return again(answer, tries, () -> commitLeader(commitTimestamp, pass, tries + 1));
                }
                CommitOutcome end =
                    believe(
                        answer.value(),
                        new Aborted(
                            Aborted.Reason.BY_OTHERS,
                            "aborted by a reader, after a failover, or because a table has been"
                                + " disabled in HBase",
                            null));
                return Step.done(
                    end instanceof Committed committed
                        ? new Committed(
                            committed.fate(),
                            new IssueProof.Passed(id.startTimestamp(), commitTimestamp, pass))
                        : end);
              });
    }

    private Step<CommitOutcome> abort(
        Aborted.Reason reason, String why, @Nullable Throwable cause) {
      return abort(new Aborted(reason, why, cause), 0);
    }

    /** Requests a decision of the leader, as none is known. */
    private Step<CommitOutcome> abort(CommitOutcome ifAborted, int tries) {
      return Step.begin(event -> store.abortLeader(id, begin.floor(), false, begin.grant()))
          .next(
              answer ->
                  answer.failure() == null
                      ? Step.done(believe(answer.value(), ifAborted))
                      : again(answer, tries, () -> abort(ifAborted, tries + 1)));
    }

    private CommitOutcome believe(Outcome leader, CommitOutcome ifAborted) {
      if (leader.state().isEmpty()) {
        return new Unknown(id, "the commit entry is gone", null);
      }
      if (leader.state().get().isCommitted()) {
        return new Committed(leader.fate(), IssueProof.NONE);
      }
      if (leader.is(TransactionState.ABORTED)) {
        return ifAborted;
      }
      throw new IllegalStateException(
          "a leader is pending after a compare-and-set, id=" + id + " leader=" + leader);
    }

    private Step<CommitOutcome> again(
        Event<?> failed, int tries, Supplier<Step<CommitOutcome>> next) {
      Throwable failure = failed.failure();
      boolean hopeless =
          failure instanceof StoreRefusedException refused
              && refused.refusal().code().advice() == Refusal.Advice.NEVER;
      if (hopeless || failed.isAfter(deadlineNanos)) {
        return Step.done(new Unknown(id, "the leader could not be asked", failure));
      }
      return Step.pause(Backoff.CALLS.delay(tries, random)).then(waited -> next.get());
    }
  }

  /** Returns true if the cause shows whether a further attempt would fail equally. */
  private static boolean tellsMoreThanAborted(Throwable cause) {
    return cause instanceof TransactionManagerException manager
        && manager.kind() != TransactionManagerException.Kind.UNAVAILABLE;
  }
}
