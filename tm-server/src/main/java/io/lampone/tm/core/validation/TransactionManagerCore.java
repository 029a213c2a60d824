package io.lampone.tm.core.validation;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.RequestType;
import io.lampone.protocol.wire.WireReply.Failure;
import io.lampone.tm.core.NodeMetrics;

/**
 * Issues timestamps and decides (protocol page, sections 1, 4, 5 and 7). Knows nothing of the
 * lease: whoever owns this checks it between computing and answering.
 *
 * <p>Single-threaded: allocating a commit timestamp, changing the conflict table and remembering
 * the decision are one step as every other request sees it.
 */
public final class TransactionManagerCore {

  /** When to come back after the bound has been reached: by then it has been extended. */
  static final int RETRY_AFTER_MILLIS = 10;

  /** Places that are asked for before a frame is executed; so many cache lines fit into a cache. */
  private static final int MAX_FETCHED = 4096;

  private final TimestampAllocator timestamps;
  private final ConflictTable conflicts;
  private final DecisionCache decisions;
  private final VerifiedGrants grants;

  /** The smallest start timestamp that is admissible in this epoch. */
  private final long floor;

  /** Keeps the reads of {@link #fetch} from being optimized away; has no other meaning. */
  private int fetched;

  /** Undecided transactions below it are refused: the safe point decided on, maybe unpublished. */
  private long safePoint;

  public TransactionManagerCore(
      TimestampAllocator timestamps,
      ConflictTable conflicts,
      DecisionCache decisions,
      long floor,
      long safePoint,
      Proofs proofs) {
    this.timestamps = timestamps;
    this.conflicts = conflicts;
    this.decisions = decisions;
    this.grants = new VerifiedGrants(proofs);
    this.floor = floor;
    this.safePoint = safePoint;
  }

  /**
   * Executes a frame of requests, unless one of their timestamps is at or above the persisted
   * bound, or one validates a transaction of another client; of such a frame nothing is executed.
   */
  public BatchOutcome handle(RequestCursor requests, ReplyWriter replies) {
    long shown = requests.highestTimestamp();
    if (Timestamps.tick(shown) >= timestamps.bound()) {
      return new BatchOutcome.Suspicious(shown);
    }
    if (requests.validations() > 0) {
      if (!ownsAll(requests)) {
        return new BatchOutcome.Unowned(requests.startTimestamp());
      }
      requests.rewind();
    }
    while (requests.next()) {
      answer(requests, replies);
    }
    return BatchOutcome.ANSWERED;
  }

  /** Returns the metrics at this moment; the owner of this object supplies the rest. */
  public NodeMetrics vitals(
      long epoch,
      long leaseRemainingNanos,
      long storeSilentNanos,
      long oldestHeld,
      boolean recordTrusted) {
    return new NodeMetrics(
        NodeMetrics.Name.PRIMARY,
        epoch,
        leaseRemainingNanos,
        storeSilentNanos,
        timestamps.bound(),
        timestamps.last(),
        conflicts.lowWatermark(),
        decisions.horizon(),
        safePoint,
        oldestHeld,
        conflicts.sequence() - conflicts.oldestSequence(),
        decisions.sequence() - decisions.oldestSequence(),
        false,
        recordTrusted,
        "");
  }

  /** The safe point that has been decided on. */
  public long safePoint() {
    return safePoint;
  }

  /**
   * Refuses undecided transactions below {@code timestamp} from now on; to be called before the
   * safe point is published. Never goes back.
   *
   * @throws IllegalArgumentException if no such timestamp has been issued yet
   */
  public void decideSafePoint(long timestamp) {
    if (!isIssued(timestamp)) {
      throw new IllegalArgumentException(
          "safe point is no issued timestamp, timestamp=" + timestamp);
    }
    safePoint = Math.max(safePoint, timestamp);
  }

  private void answer(RequestCursor request, ReplyWriter replies) {
    if (request.type() == RequestType.BEGIN) {
      begin(request.id(), replies);
    } else if (!isIssued(request.startTimestamp())) {
      replies.failed(request.id(), Failure.BAD_TIMESTAMP, 0);
    } else if (request.type() == RequestType.VALIDATE) {
      validate(request, replies);
    } else if (Timestamps.tick(request.snapshot()) > timestamps.last()) {
      // No snapshot yet: what is "still to come" might end up below it.
      replies.failed(request.id(), Failure.BAD_TIMESTAMP, 0);
    } else {
      status(request.id(), request.startTimestamp(), replies);
    }
  }

  private void begin(long id, ReplyWriter replies) {
    long startTimestamp = timestamps.next();
    if (startTimestamp == TimestampAllocator.NONE) {
      replies.failed(id, Failure.OVERLOADED, RETRY_AFTER_MILLIS);
    } else {
      replies.begun(id, startTimestamp, floor);
    }
  }

  private void validate(RequestCursor request, ReplyWriter replies) {
    long id = request.id();
    long start = request.startTimestamp();
    // By decision first: a decision stands whatever happened to floor and watermark since.
    int decided = decisions.find(start);
    if (decided != DecisionCache.NOT_FOUND) {
      giveAgain(request, decided, replies);
    } else if (start < floor) {
      replies.refused(id, Reason.BELOW_FLOOR, 0);
    } else if (start < safePoint) {
      replies.refused(id, Reason.BELOW_SAFE_POINT, 0);
    } else if (!request.firstSending() && start <= decisions.horizon()) {
      // Its own entry in the conflict table would look like somebody else's.
      replies.refused(id, Reason.FORGOTTEN, 0);
    } else if (start < conflicts.lowWatermark()) {
      replies.refused(id, Reason.BELOW_WATERMARK, 0);
    } else {
      decide(request, replies);
    }
  }

  /**
   * Returns true if every validation of a frame shows the grant of its transaction; stops at the
   * first that does not. Prefetches what the validations will look up, see {@link #fetch}.
   */
  private boolean ownsAll(RequestCursor requests) {
    int seen = 0;
    int validations = 0;
    int recorded = 0;
    int places = 0;
    while (requests.next()) {
      if (requests.type() != RequestType.VALIDATE) {
        continue;
      }
      if (!grants.isOwner(requests)) {
        return false;
      }
      if (places < MAX_FETCHED) {
        seen += decisions.touch(requests.startTimestamp(), validations++);
        seen += fetch(requests, recorded);
        recorded += requests.records();
        places += 2 + requests.checks() + requests.records();
      }
    }
    fetched = seen;
    return true;
  }

  /**
   * Reads the places of the conflict table that a validation will look up, up to a limit. The table
   * is far larger than any cache, and the places do not depend on each other: a processor waits for
   * ten of them as long as for one if they are requested together. Changes nothing.
   *
   * @param recorded hashes that earlier validations of the frame will record
   */
  private int fetch(RequestCursor request, int recorded) {
    int seen = 0;
    int checks = Math.min(request.checks(), MAX_FETCHED);
    for (int i = 0; i < checks; i++) {
      seen += conflicts.touch(request.check(i));
    }
    int records = Math.min(request.records(), MAX_FETCHED);
    for (int i = 0; i < records; i++) {
      seen += conflicts.touchOldest(recorded + i);
      // Most of what is recorded is checked, too, and at the same index; but not marks of rows.
      if (i >= checks || request.record(i) != request.check(i)) {
        seen += conflicts.touch(request.record(i));
      }
    }
    return seen;
  }

  private void giveAgain(RequestCursor request, int decided, ReplyWriter replies) {
    long id = request.id();
    if (decisions.passed(decided)) {
      replies.passed(id, request.startTimestamp(), decisions.timestamp(decided));
    } else {
      replies.conflict(id, decisions.checkIndex(decided), decisions.timestamp(decided));
    }
  }

  private void decide(RequestCursor request, ReplyWriter replies) {
    long id = request.id();
    long start = request.startTimestamp();
    int checks = request.checks();
    // Nearly every hash that is there was committed before this transaction began: what is known to
    // be that old by its place in the table alone costs one look at memory instead of two.
    long since = checks > 0 ? conflicts.firstThatMayBeAfter(start) : 0;
    for (int i = 0; i < checks; i++) {
      long last = conflicts.lastCommitSince(request.check(i), since);
      if (last > start) {
        decisions.recordConflict(start, i, last);
        replies.conflict(id, i, last);
        return;
      }
    }
    long commitTimestamp = timestamps.next();
    if (commitTimestamp == TimestampAllocator.NONE) {
      replies.refused(id, Reason.OVERLOADED, RETRY_AFTER_MILLIS);
      return;
    }
    int records = request.records();
    for (int i = 0; i < records; i++) {
      conflicts.record(request.record(i), commitTimestamp);
    }
    decisions.recordPassed(start, commitTimestamp);
    replies.passed(id, start, commitTimestamp);
  }

  private void status(long id, long start, ReplyWriter replies) {
    int decided = decisions.find(start);
    if (decided != DecisionCache.NOT_FOUND) {
      if (decisions.passed(decided)) {
        replies.statusPassed(id, start, decisions.timestamp(decided));
      } else {
        replies.statusConflict(id, start);
      }
    } else if (mayHaveBeenForgotten(start)) {
      replies.statusUnknown(id, start);
    } else {
      replies.statusNotRequested(id);
    }
  }

  /** Returns true if the past or future decision on a transaction not remembered is unknown. */
  public boolean mayHaveBeenForgotten(long start) {
    return start <= decisions.horizon() || isRefusedForGood(start);
  }

  /**
   * Returns true if an undecided transaction can never pass here. Its intents would be skipped for
   * ever if the answer were that no commit has been requested yet; an unknown answer lets a reader
   * abort it on its leader.
   */
  private boolean isRefusedForGood(long start) {
    return start < floor || start < safePoint || start < conflicts.lowWatermark();
  }

  private boolean isIssued(long timestamp) {
    return Timestamps.isGlobal(timestamp) && timestamp <= timestamps.last();
  }
}
