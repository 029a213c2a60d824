package io.lampone.tm.core;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * Issues timestamps and decides (protocol page, sections 1, 3.4, 4.2 and 6). Knows nothing of the
 * lease: whoever owns this checks it between computing and answering.
 *
 * <p>Single-threaded: allocating a commit timestamp, changing the conflict table and remembering
 * the decision are one step as every other request sees it.
 */
final class TransactionManagerCore {

  /** When to come back after the bound has been reached: by then it has been extended. */
  static final int RETRY_AFTER_MILLIS = 10;

  private final TimestampAllocator timestamps;
  private final ConflictTable conflicts;
  private final DecisionMemory decisions;

  /** The smallest start timestamp that is admissible in this epoch. */
  private final long floor;

  /** Undecided transactions below it are refused: the safe point decided on, maybe unpublished. */
  private long safePoint;

  TransactionManagerCore(
      TimestampAllocator timestamps,
      ConflictTable conflicts,
      DecisionMemory decisions,
      long floor,
      long safePoint) {
    this.timestamps = timestamps;
    this.conflicts = conflicts;
    this.decisions = decisions;
    this.floor = floor;
    this.safePoint = safePoint;
  }

  /**
   * Executes a batch, unless one of its timestamps is at or above the persisted bound. Those are
   * looked for first, so that nothing of such a batch is executed.
   */
  BatchOutcome handle(List<WireRequest> batch) {
    for (WireRequest request : batch) {
      long shown = shownTimestamp(request);
      if (Timestamps.tick(shown) >= timestamps.bound()) {
        return new BatchOutcome.Suspicious(shown);
      }
    }
    List<WireReply> replies = new ArrayList<>(batch.size());
    for (WireRequest request : batch) {
      replies.add(handle(request));
    }
    return new BatchOutcome.Answered(replies);
  }

  /** The safe point that has been decided on. */
  long safePoint() {
    return safePoint;
  }

  /**
   * Refuses undecided transactions below {@code timestamp} from now on; to be called before the
   * safe point is published. Never goes back.
   *
   * @throws IllegalArgumentException if no such timestamp has been issued yet
   */
  void decideSafePoint(long timestamp) {
    if (!isIssued(timestamp)) {
      throw new IllegalArgumentException(
          "safe point is no issued timestamp, timestamp=" + timestamp);
    }
    safePoint = Math.max(safePoint, timestamp);
  }

  private WireReply handle(WireRequest request) {
    if (request instanceof WireRequest.Begin begin) {
      return begin(begin.id());
    }
    if (request instanceof WireRequest.Validate validate) {
      return isIssued(validate.request().startTimestamp())
          ? new WireReply.Validated(validate.id(), validate(validate.request()))
          : new WireReply.Failed(validate.id(), WireReply.Failure.BAD_TIMESTAMP, 0);
    }
    WireRequest.Status status = (WireRequest.Status) request;
    return isIssued(status.startTimestamp())
        ? new WireReply.StatusIs(status.id(), status(status.startTimestamp()))
        : new WireReply.Failed(status.id(), WireReply.Failure.BAD_TIMESTAMP, 0);
  }

  private WireReply begin(long id) {
    long startTimestamp = timestamps.next();
    if (startTimestamp == TimestampAllocator.NONE) {
      return new WireReply.Failed(id, WireReply.Failure.OVERLOADED, RETRY_AFTER_MILLIS);
    }
    return new WireReply.Begun(id, new TimestampOracle.Begin(startTimestamp, floor));
  }

  private Validation validate(Validator.Request request) {
    long start = request.startTimestamp();
    // By decision first: a decision stands whatever happened to floor and watermark since.
    int decided = decisions.find(start);
    if (decided != DecisionMemory.NOT_FOUND) {
      return decisions.passed(decided)
          ? new Validation.Passed(decisions.timestamp(decided))
          : new Validation.Conflict(decisions.checkIndex(decided), decisions.timestamp(decided));
    }
    if (start < floor) {
      return refused(Reason.BELOW_FLOOR);
    }
    if (start < safePoint) {
      return refused(Reason.BELOW_SAFE_POINT);
    }
    // Its own entry in the conflict table would look like somebody else's.
    if (!request.firstSending() && start <= decisions.horizon()) {
      return refused(Reason.FORGOTTEN);
    }
    if (start < conflicts.lowWatermark()) {
      return refused(Reason.BELOW_WATERMARK);
    }
    return decide(request);
  }

  private Validation decide(Validator.Request request) {
    long start = request.startTimestamp();
    long[] check = request.check();
    for (int i = 0; i < check.length; i++) {
      long last = conflicts.lastCommit(check[i]);
      if (last > start) {
        decisions.recordConflict(start, i, last);
        return new Validation.Conflict(i, last);
      }
    }
    long commitTimestamp = timestamps.next();
    if (commitTimestamp == TimestampAllocator.NONE) {
      return new Validation.Refused(Reason.OVERLOADED, RETRY_AFTER_MILLIS);
    }
    for (long hash : request.record()) {
      conflicts.record(hash, commitTimestamp);
    }
    decisions.recordPassed(start, commitTimestamp);
    return new Validation.Passed(commitTimestamp);
  }

  /** What a reader is told of an undecided or decided transaction. */
  Status status(long start) {
    int decided = decisions.find(start);
    if (decided != DecisionMemory.NOT_FOUND) {
      return decisions.passed(decided)
          ? new Status.Passed(decisions.timestamp(decided))
          : new Status.Conflict();
    }
    if (start <= decisions.horizon() || isRefusedForGood(start)) {
      return new Status.Unknown();
    }
    return new Status.NotRequested();
  }

  /**
   * Whether an undecided transaction can never pass here. Its intents would be skipped for ever if
   * it were said that no commit has been requested yet; that the answer is unknown lets a reader
   * abort it on its leader.
   */
  private boolean isRefusedForGood(long start) {
    return start < floor || start < safePoint || start < conflicts.lowWatermark();
  }

  private boolean isIssued(long timestamp) {
    return Timestamps.isGlobal(timestamp) && timestamp <= timestamps.last();
  }

  private static Validation refused(Reason reason) {
    return new Validation.Refused(reason, 0);
  }

  private static long shownTimestamp(WireRequest request) {
    if (request instanceof WireRequest.Validate validate) {
      return validate.request().startTimestamp();
    }
    return request instanceof WireRequest.Status status ? status.startTimestamp() : 0;
  }
}
