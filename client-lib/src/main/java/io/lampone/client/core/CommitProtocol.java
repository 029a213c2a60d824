package io.lampone.client.core;

import io.lampone.client.CommitObserver;
import io.lampone.client.SnapshotTooOldException;
import io.lampone.client.core.CommitOutcome.Aborted;
import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.CommitOutcome.Unknown;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.step.Continuation;
import io.lampone.client.core.step.Event;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.IssueProof;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * From the last acknowledged intent to the outcome (protocol page, section 4).
 *
 * <pre>
 *   VALIDATING --Passed-->  COMMITTING --COMMITTED(mine)/FINAL--> Committed
 *       |                        +--ABORTED---------------------> Aborted
 *       |                        +--absent, or no answer--------> Unknown
 *       +--Conflict (a decision) -------------------------------> Conflict
 *       +--Refused, forgotten, no answer --> ABORTING --ABORTED-> Aborted
 *                                                +--COMMITTED---> Committed
 *                                                +--absent, none> Unknown
 * </pre>
 *
 * Once the commit request has left, only three things end the transaction: a recorded decision
 * CONFLICT, COMMITTED or FINAL on its leader, ABORTED on its leader [M4, M5]. Whatever else the
 * transaction manager says or does not say leads to ABORTING: the leader is asked, by a
 * compare-and-set to ABORTED, and what it holds afterwards is believed. An absent leader proves
 * nothing [M9].
 */
public final class CommitProtocol {

  private final TransactionStore store;
  private final TransactionManagerPort validator;
  private final RandomGenerator random;

  /** The same for all that ask other validators. */
  private final Audience audience;

  public CommitProtocol(
      TransactionStore store, TransactionManagerPort validator, RandomGenerator random) {
    this(store, validator, random, new Audience());
  }

  private CommitProtocol(
      TransactionStore store,
      TransactionManagerPort validator,
      RandomGenerator random,
      Audience audience) {
    this.audience = audience;
    this.store = store;
    this.validator = validator;
    this.random = random;
  }

  /** The same, with another validator: one that is asked with another priority, say. */
  public CommitProtocol asking(TransactionManagerPort other) {
    return new CommitProtocol(store, other, random, audience);
  }

  /** From now on this one hears how long the parts of commits take. */
  public void observe(CommitObserver listening) {
    audience.observer = listening;
  }

  /**
   * Commits a transaction all of whose intents are acknowledged. Never fails: every failure is an
   * outcome.
   *
   * @param deadlineNanos on the monotonic clock: after it nothing is sent again
   */
  public Step<CommitOutcome> commit(
      TransactionId id, Begin begin, ConflictKeys keys, long deadlineNanos) {
    Attempt attempt = new Attempt(id, begin, keys, deadlineNanos);
    return attempt
        .validate(
            new Validator.Request(
                id.startTimestamp(), begin.grant(), true, keys.checkHashes(), keys.recordHashes()),
            0)
        .recover(
            failure -> Step.done(new Unknown(id, "commit failed in an unforeseen way", failure)));
  }

  /** Holder of the observer of phase durations. */
  private static final class Audience {

    private static final CommitObserver NOBODY = (phase, nanos) -> {};

    /** Set by the measuring thread, read by all that commit: any may still see the previous one. */
    private volatile CommitObserver observer = NOBODY;
  }

  /** One transaction on its way. */
  private final class Attempt {

    private final TransactionId id;
    private final Begin begin;
    private final ConflictKeys keys;
    private final long deadlineNanos;

    Attempt(TransactionId id, Begin begin, ConflictKeys keys, long deadlineNanos) {
      this.id = id;
      this.begin = begin;
      this.keys = keys;
      this.deadlineNanos = deadlineNanos;
    }

    Step<CommitOutcome> validate(Validator.Request request, int tries) {
      return observed(
          CommitObserver.Phase.VALIDATE,
          () -> validator.validate(request),
          answer -> {
            Throwable failure = answer.failure();
            if (failure != null) {
              return abort("no answer from the transaction manager", failure, 0);
            }
            Validation validation = answer.value();
            if (validation instanceof Validation.Passed passed) {
              return commitLeader(passed, 0);
            }
            if (validation instanceof Validation.Conflict conflict) {
              return Step.done(
                  new Conflict(
                      keys.placeOfCheck(conflict.checkIndex()), conflict.winnerCommitTimestamp()));
            }
            Validation.Refused refused = (Validation.Refused) validation;
            if (refused.reason().isTransient() && !answer.isAfter(deadlineNanos)) {
              Duration pause =
                  Duration.ofMillis(refused.retryAfterMillis())
                      .plus(Backoff.CALLS.delay(tries, random));
              return Step.pause(pause).then(waited -> validate(request.repeated(), tries + 1));
            }
            return abort(
                "refused by the transaction manager, reason=" + refused.reason(),
                refused.reason() == Validator.Reason.BELOW_SAFE_POINT
                    ? new SnapshotTooOldException(
                        id.startTimestamp(),
                        "the transaction lived longer than snapshots are kept: run it again,"
                            + " startTimestamp="
                            + id.startTimestamp())
                    : null,
                0);
          });
    }

    /** The commit point. Sending it again is safe: it is a compare-and-set to one known value. */
    private Step<CommitOutcome> commitLeader(Validation.Passed passed, int tries) {
      return observed(
          CommitObserver.Phase.LEADER,
          () -> store.commitLeader(id, begin.floor(), passed.commitTimestamp(), passed.proof()),
          answer -> {
            if (answer.failure() != null) {
              return again(answer, tries, () -> commitLeader(passed, tries + 1));
            }
            CommitOutcome end =
                believe(
                    answer.value(),
                    "aborted by a reader, after a failover, or because a table has been"
                        + " disabled in HBase",
                    null);
            return Step.done(
                end instanceof Committed committed
                    ? new Committed(committed.fate(), shown(passed))
                    : end);
          });
    }

    private IssueProof shown(Validation.Passed passed) {
      return new IssueProof.Passed(id.startTimestamp(), passed.commitTimestamp(), passed.proof());
    }

    /** Makes the leader decide, as no decision is known. */
    private Step<CommitOutcome> abort(String why, @Nullable Throwable cause, int tries) {
      return Step.begin(event -> store.abortLeader(id, begin.floor(), false, begin.grant()))
          .next(
              answer ->
                  answer.failure() == null
                      ? Step.done(believe(answer.value(), why, cause))
                      : again(answer, tries, () -> abort(why, cause, tries + 1)));
    }

    private CommitOutcome believe(Outcome leader, String whyAborted, @Nullable Throwable cause) {
      if (leader.state().isEmpty()) {
        return new Unknown(id, "the commit entry is gone", null);
      }
      if (leader.state().get().isCommitted()) {
        return new Committed(leader.fate(), IssueProof.NONE);
      }
      if (leader.is(TransactionState.ABORTED)) {
        return new Aborted(whyAborted, tellsMoreThanAborted(cause) ? cause : null);
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

  /** Returns true if the cause shows whether a further attempt would fail alike. */
  private static boolean tellsMoreThanAborted(@Nullable Throwable cause) {
    return cause instanceof SnapshotTooOldException
        || cause instanceof TransactionManagerException manager
            && manager.kind() != TransactionManagerException.Kind.UNAVAILABLE;
  }

  /** Sends something, tells the observer how long it took, and goes on. */
  private <T> Step<CommitOutcome> observed(
      CommitObserver.Phase phase, Supplier<Step<T>> call, Continuation<T, CommitOutcome> next) {
    CommitObserver listening = audience.observer;
    if (listening == Audience.NOBODY) {
      return Step.begin(begun -> call.get()).next(next);
    }
    return Step.begin(
        begun ->
            call.get()
                .next(
                    answer -> {
                      listening.took(phase, answer.nowNanos() - begun.nowNanos());
                      return next.next(answer);
                    }));
  }
}
