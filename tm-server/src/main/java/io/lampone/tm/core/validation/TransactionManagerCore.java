package io.lampone.tm.core.validation;

import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.RequestType;
import io.lampone.protocol.wire.WireReply.Failure;
import io.lampone.tm.core.oracle.CommitTimestamps;
import io.lampone.tm.core.oracle.TimestampAllocator;
import io.lampone.tm.core.oracle.TimestampOracleCore;

/**
 * Executes frames of requests: begins by the oracle, validations and status requests by the
 * validator (protocol page, sections 1, 4, 5 and 7). Does not check the lease; its owner does so
 * after the answers have been computed and before they are sent.
 *
 * <p>Single-threaded: each request is atomic with respect to the others.
 */
public final class TransactionManagerCore {

  private final TimestampOracleCore oracle;
  private final ValidatorCore validator;

  private TransactionManagerCore(TimestampOracleCore oracle, ValidatorCore validator) {
    this.oracle = oracle;
    this.validator = validator;
  }

  /**
   * Creates the core of one epoch.
   *
   * @param floor the smallest admissible start timestamp
   * @param safePoint undecided transactions below it are refused
   */
  public static TransactionManagerCore of(
      TimestampAllocator timestamps,
      ConflictTable conflicts,
      DecisionCache decisions,
      BucketOwners owners,
      long floor,
      long safePoint,
      Proofs proofs) {
    TimestampOracleCore oracle = new TimestampOracleCore(timestamps, floor);
    return new TransactionManagerCore(
        oracle, new ValidatorCore(oracle, conflicts, decisions, owners, floor, safePoint, proofs));
  }

  /**
   * Executes a frame of requests. Executes none of them if a timestamp is at or above the persisted
   * bound, or if one validates a transaction of another client. Ends at a reservation for one.
   */
  public BatchOutcome handle(RequestCursor requests, ReplyWriter replies) {
    long shown = requests.highestTimestamp();
    if (oracle.isBeyondBound(shown)) {
      return new BatchOutcome.Suspicious(shown);
    }
    if (requests.validations() > 0) {
      if (!validator.ownsAll(requests)) {
        return new BatchOutcome.Unowned(requests.startTimestamp());
      }
      requests.rewind();
    }
    oracle.readClock();
    while (requests.next()) {
      if (requests.type() == RequestType.RESERVE && !validator.owns(requests)) {
        return new BatchOutcome.Unowned(requests.startTimestamp());
      }
      answer(requests, replies);
    }
    return BatchOutcome.ANSWERED;
  }

  /** Returns the safe point that has been decided, though perhaps not published. */
  public long safePoint() {
    return validator.safePoint();
  }

  /**
   * Refuses undecided transactions below {@code timestamp} from now on. Must be called before the
   * safe point is published. The safe point never goes back.
   *
   * @throws IllegalArgumentException if {@code timestamp} has not been issued yet
   */
  public void decideSafePoint(long timestamp) {
    if (!oracle.isIssued(timestamp)) {
      throw new IllegalArgumentException(
          "safe point is no issued timestamp, timestamp=" + timestamp);
    }
    validator.raiseSafePoint(timestamp);
  }

  /** Returns the number of hashes that running transactions have reserved. */
  public int reservations() {
    return validator.reservations();
  }

  /** Returns true if the past or future decision on an unknown transaction is undetermined. */
  public boolean mayHaveBeenForgotten(long start) {
    return validator.mayHaveBeenForgotten(start);
  }

  /**
   * Issues a timestamp for a change of the owners of buckets.
   *
   * @throws IllegalStateException at the bound
   */
  public long draw() {
    oracle.readClock();
    long drawn = oracle.next(false);
    if (drawn == CommitTimestamps.NONE) {
      throw new IllegalStateException("no timestamps at the moment: try again");
    }
    return drawn;
  }

  /** Returns the last timestamp issued. */
  public long lastTimestamp() {
    return oracle.last();
  }

  private void answer(RequestCursor request, ReplyWriter replies) {
    if (request.type() == RequestType.BEGIN) {
      oracle.begin(request.id(), replies);
    } else if (request.type() == RequestType.PROGRESS) {
      oracle.progress(request, replies);
    } else if (request.type() == RequestType.VOTE || !oracle.isIssued(request.startTimestamp())) {
      replies.failed(request.id(), Failure.BAD_TIMESTAMP, 0);
    } else if (request.type() == RequestType.VALIDATE) {
      validator.validate(request, replies);
    } else if (request.type() == RequestType.RESERVE) {
      validator.reserve(request, replies);
    } else if (oracle.isFuture(request.snapshot())) {
      // Not an issued snapshot: a commit timestamp still to come could be below it.
      replies.failed(request.id(), Failure.BAD_TIMESTAMP, 0);
    } else {
      validator.status(request, replies);
    }
  }
}
