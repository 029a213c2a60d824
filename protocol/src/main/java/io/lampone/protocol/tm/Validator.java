package io.lampone.protocol.tm;

import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.wire.Capabilities;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Decides whether a transaction may commit (protocol page, sections 4 and 7). */
public interface Validator {

  /**
   * Requests a commit timestamp. Idempotent by start timestamp: a decision or an assigned timestamp
   * is remembered and returned again, even if the repetition differs in {@code conditional}.
   *
   * <p>A future that fails with {@link TransactionManagerException} says nothing about the outcome.
   */
  CompletableFuture<Validation> validate(Request request);

  /**
   * Like {@link #validate} for a thread that waits, see {@link TimestampOracle#beginHere}.
   *
   * @param deadlineNanos end of the wait, on the monotonic clock
   */
  default CompletableFuture<Validation> validateHere(Request request, long deadlineNanos) {
    return validate(request);
  }

  /** Returns the owners of the conflict hashes. */
  default CompletableFuture<BucketMap> buckets() {
    return CompletableFuture.completedFuture(BucketMap.OF_PRIMARY);
  }

  /**
   * Requests the vote of a validator: {@link Validation.Voted}, or why not. Idempotent.
   *
   * @param at the validator
   */
  default CompletableFuture<Validation> vote(BucketMap.Node at, Vote vote) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException("votes are not supported, validator=" + at));
  }

  /**
   * Requests a vote like {@link #vote}, from a thread that reads the reply later.
   *
   * @param deadlineNanos end of the wait, on the monotonic clock
   * @return reads the reply, and must be called; empty if nothing was sent
   */
  default Optional<Supplier<CompletableFuture<Validation>>> postVote(
      BucketMap.Node at, Vote vote, long deadlineNanos) {
    return Optional.empty();
  }

  /**
   * Reserves the hashes of a running transaction, or releases them (ADR 96). The answer is {@link
   * Validation.Voted}, {@link Validation.Conflict}, {@link Validation.Held}, or {@link
   * Reason#MOVED}. A hint: validations and votes do not depend on reservations.
   *
   * @param at the validator; empty for the primary
   * @param request with at most {@code FrameLayout.MAX_RESERVED} hashes; of its terms only the
   *     version of the map counts
   */
  default CompletableFuture<Validation> reserve(
      Optional<BucketMap.Node> at, Request request, boolean release) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException("reservations are not supported, validator=" + at));
  }

  /**
   * A transaction's request to commit. The hashes are those of {@code ConflictKeys}.
   *
   * @param startTimestamp the transaction
   * @param grant proves that the transaction belongs to the caller
   * @param firstSending whether no request for this transaction has been sent before. If its start
   *     timestamp is at or below the horizon of the decision memory, only a first sending may be
   *     validated
   * @param check hashes that must not be recorded above the start timestamp
   * @param record hashes to record at the commit timestamp
   * @param terms the kind of answer
   */
  @SuppressWarnings("ArrayRecordComponent") // hot path; arrays are never changed after construction
  record Request(
      long startTimestamp,
      Grant grant,
      boolean firstSending,
      long[] check,
      long[] record,
      Terms terms) {

    /** An unconditional request whose end is not reported. */
    public Request(
        long startTimestamp, Grant grant, boolean firstSending, long[] check, long[] record) {
      this(startTimestamp, grant, firstSending, check, record, Terms.UNCONDITIONAL);
    }

    /** A request whose end is not reported. */
    public Request(
        long startTimestamp,
        Grant grant,
        boolean firstSending,
        long[] check,
        long[] record,
        boolean conditional) {
      this(startTimestamp, grant, firstSending, check, record, conditional, false);
    }

    /** A request with all its keys at the primary. */
    public Request(
        long startTimestamp,
        Grant grant,
        boolean firstSending,
        long[] check,
        long[] record,
        boolean conditional,
        boolean reported) {
      this(startTimestamp, grant, firstSending, check, record, new Terms(conditional, reported, 0));
    }

    /** Returns true if the client has to check something at the commit timestamp. */
    public boolean conditional() {
      return terms.conditional();
    }

    /** Returns true if the client will report the end of the transaction. */
    public boolean reported() {
      return terms.reported();
    }

    /** Returns this request as an end with these {@link Capabilities} understands it. */
    public Request sentTo(long capabilities) {
      return !terms.reported() || Capabilities.has(capabilities, Capabilities.PROGRESS)
          ? this
          : new Request(startTimestamp, grant, firstSending, check, record, terms.unreported());
    }

    /** Returns this request marked as a repetition. */
    public Request repeated() {
      return new Request(startTimestamp, grant, false, check, record, terms);
    }
  }

  /**
   * Kind of answer to a {@link Request}.
   *
   * @param conditional whether the client has to check something at the commit timestamp: then the
   *     answer is {@link Validation.Assigned} instead of {@link Validation.Passed}. A transaction
   *     manager that does not support this is not asked: the future fails with {@link
   *     TransactionManagerException.Kind#INCOMPATIBLE}
   * @param reported whether the client will report the end of the transaction, see {@link
   *     ProgressReport}. Ignored by a transaction manager that does not support it
   * @param mapVersion version of the {@link BucketMap} by which other validators are asked for the
   *     remaining hashes; the request is then conditional. 0 = all hashes are in the request
   */
  record Terms(boolean conditional, boolean reported, long mapVersion) {

    /** Decided at once, and not reported. */
    public static final Terms UNCONDITIONAL = new Terms(false, false, 0);

    Terms unreported() {
      return new Terms(conditional, false, mapVersion);
    }
  }

  /**
   * A request for a validator's vote on a transaction that has been assigned a commit timestamp.
   * The hashes are those of the validator's buckets only.
   *
   * @param assignment the timestamps
   * @param incarnation that of the validator by the map
   * @param from the larger of the start timestamp and the beginning of the validator's era
   * @param reads number of hashes at the beginning of {@code check} that others may record without
   *     checking them: the validator remembers them, because a transaction that records one of them
   *     at a lower commit timestamp may vote later
   * @param check hashes that must not be recorded between start and commit timestamp
   * @param record hashes to record at the commit timestamp
   */
  @SuppressWarnings("ArrayRecordComponent") // hot path; arrays are never changed after construction
  record Vote(
      Assignment assignment, long incarnation, long from, int reads, long[] check, long[] record) {}

  /**
   * An assigned commit timestamp.
   *
   * @param proof that of {@link Validation.Assigned}
   */
  record Assignment(long startTimestamp, long commitTimestamp, Tag proof) {}

  /** The answer. Only passed and conflict are decisions; they and assigned are remembered. */
  sealed interface Validation {

    /**
     * Decided: may commit at this timestamp.
     *
     * @param proof states so to every server
     */
    record Passed(long commitTimestamp, Tag proof) implements Validation {}

    /**
     * Not decided: the transaction commits at this timestamp or not at all, and only its own client
     * may commit it, after what remained to be checked has been found unchanged (ADR 81).
     *
     * @param proof allows its holder to commit the leader at this timestamp. Only the transaction's
     *     client receives it. It is shown to region servers, and to no other client before the
     *     leader is committed
     */
    record Assigned(long commitTimestamp, Tag proof) implements Validation {}

    /** Not decided: the vote of one validator. */
    record Voted() implements Validation {}

    /**
     * Decided by the primary: conflict, permanently. From another validator, its vote.
     *
     * @param checkIndex position of the conflicting hash in {@link Request#check} or {@link
     *     Vote#check}; beyond its end, that of a hash to record which a transaction with a later
     *     commit timestamp has read
     * @param winnerCommitTimestamp the commit timestamp recorded for it
     */
    record Conflict(int checkIndex, long winnerCommitTimestamp) implements Validation {}

    /**
     * Not decided: another running transaction has reserved a hash that this one wants to reserve.
     *
     * @param checkIndex position of the hash in {@link Request#check}
     * @param startTimestamp the other transaction
     */
    record Held(int checkIndex, long startTimestamp) implements Validation {}

    /** Not decided, and not final: send again, or abort on the leader. */
    record Refused(Reason reason, int retryAfterMillis) implements Validation {}
  }

  /** Reason for refusing a validation. */
  enum Reason {
    /** Start timestamp below the floor: the conflict table of its time is gone. */
    BELOW_FLOOR(1),
    /** Start timestamp below the low watermark of the conflict table. */
    BELOW_WATERMARK(2),
    /** Start timestamp below the safe point. */
    BELOW_SAFE_POINT(3),
    /** A repeated sending whose decision may have been forgotten. */
    FORGOTTEN(4),
    /** Overload: try again after the given time. */
    OVERLOADED(5),
    /** Another validator owns some of the buckets: fetch the {@link BucketMap}. */
    MOVED(6);

    private final int code;

    Reason(int code) {
      this.code = code;
    }

    /** Returns the code of this reason on the wire. */
    public int code() {
      return code;
    }

    /** Returns true if sending the same request again may help. */
    public boolean isTransient() {
      return this == OVERLOADED;
    }
  }
}
