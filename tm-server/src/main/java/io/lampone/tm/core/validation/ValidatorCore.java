package io.lampone.tm.core.validation;

import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.RequestType;
import io.lampone.protocol.wire.WireReply.Failure;
import io.lampone.tm.core.oracle.CommitTimestamps;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Decides on conflicts, and remembers what it decided (protocol page, sections 5 and 7). It draws
 * the timestamp of a transaction that passes from its source and issues none itself.
 *
 * <p>Single-threaded: drawing a commit timestamp, changing the conflict table and remembering the
 * decision are one step as every other request sees it.
 */
public final class ValidatorCore {

  /**
   * Age of an assigned commit timestamp from which on other clients are given a statement to abort
   * the transaction: until then it is its own client's, however little patience they claim to have.
   */
  public static final Duration ASSIGNED_GRACE = Duration.ofMillis(100);

  /** The same, when both times are cut off at milliseconds. */
  private static final long GRACE_MILLIS = ASSIGNED_GRACE.toMillis() + 1;

  /** Places that are asked for before a frame is executed; so many cache lines fit into a cache. */
  private static final int MAX_FETCHED = 4096;

  private final CommitTimestamps timestamps;
  private final ConflictTable conflicts;
  private final DecisionCache decisions;
  private final VerifiedGrants grants;
  private final long bornMillis;

  /** The smallest start timestamp that is admissible in this epoch. */
  private final long floor;

  /** Keeps the reads of {@link #fetch} from being optimized away; has no other meaning. */
  private int fetched;

  /** Undecided transactions below it are refused: the safe point decided on, maybe unpublished. */
  private long safePoint;

  public ValidatorCore(
      CommitTimestamps timestamps,
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
    this.bornMillis = monotonicMillis();
  }

  /** The safe point that has been decided on. */
  long safePoint() {
    return safePoint;
  }

  /** Refuses undecided transactions below {@code timestamp} from now on; never goes back. */
  void raiseSafePoint(long timestamp) {
    safePoint = Math.max(safePoint, timestamp);
  }

  /**
   * Returns true if every validation of a frame shows the grant of its transaction; stops at the
   * first that does not. Prefetches what the validations will look up, see {@link #fetch}.
   */
  boolean ownsAll(RequestCursor requests) {
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

  /** Answers a validation. */
  void validate(RequestCursor request, ReplyWriter replies) {
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
    } else if (!request.has(FrameLayout.FLAG_FIRST_SENDING) && start <= decisions.horizon()) {
      // Its own entry in the conflict table would look like that of another transaction.
      replies.refused(id, Reason.FORGOTTEN, 0);
    } else if (start < conflicts.lowWatermark()) {
      replies.refused(id, Reason.BELOW_WATERMARK, 0);
    } else {
      decide(request, replies);
    }
  }

  private void giveAgain(RequestCursor request, int decided, ReplyWriter replies) {
    long id = request.id();
    if (decisions.passed(decided)) {
      replies.passed(id, request.startTimestamp(), decisions.timestamp(decided));
    } else if (decisions.assigned(decided)) {
      assigned(request, decisions.timestamp(decided), replies);
    } else {
      replies.conflict(id, decisions.checkIndex(decided), decisions.timestamp(decided));
    }
  }

  /** A sender that does not know the answer cannot have asked for it; what it asks is open. */
  private static void assigned(RequestCursor request, long commitTimestamp, ReplyWriter replies) {
    if (request.knowsAssigned()) {
      replies.assigned(request.id(), request.startTimestamp(), commitTimestamp);
    } else {
      replies.refused(request.id(), Reason.FORGOTTEN, 0);
    }
  }

  private void decide(RequestCursor request, ReplyWriter replies) {
    long id = request.id();
    long start = request.startTimestamp();
    int checks = request.checks();
    // Nearly every hash that is there was committed before this transaction began: what is known to
    // be that old by its place in the table alone costs one look at memory instead of two.
    boolean conditional = request.has(FrameLayout.FLAG_CONDITIONAL);
    long since = checks > 0 || conditional ? conflicts.firstThatMayBeAfter(start) : 0;
    if (conditional && conflicts.lastCommitSince(hashOf(start), since) > start) {
      // A frame that was held up: its repetition has been assigned a timestamp, and that has been
      // forgotten since. Another timestamp would hide the one at which the transaction may commit.
      replies.refused(id, Reason.FORGOTTEN, 0);
      return;
    }
    for (int i = 0; i < checks; i++) {
      long last = conflicts.lastCommitSince(request.check(i), since);
      if (last > start) {
        decisions.recordConflict(start, i, last);
        replies.conflict(id, i, last);
        return;
      }
    }
    long commitTimestamp = timestamps.next();
    if (commitTimestamp == CommitTimestamps.NONE) {
      replies.refused(id, Reason.OVERLOADED, CommitTimestamps.RETRY_AFTER_MILLIS);
      return;
    }
    int records = request.records();
    for (int i = 0; i < records; i++) {
      conflicts.record(request.record(i), commitTimestamp);
    }
    if (conditional) {
      conflicts.record(hashOf(start), commitTimestamp);
      decisions.recordAssigned(start, commitTimestamp, monotonicMillis());
      replies.assigned(id, start, commitTimestamp);
    } else {
      decisions.recordPassed(start, commitTimestamp);
      replies.passed(id, start, commitTimestamp);
    }
  }

  /** Hash by which a conditional validation meets itself: a bijection that spreads its argument. */
  private static long hashOf(long start) {
    long mixed = (start ^ start >>> 32) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L;
    return mixed ^ mixed >>> 32;
  }

  /** Answers a status request. */
  void status(RequestCursor request, ReplyWriter replies) {
    long id = request.id();
    long start = request.startTimestamp();
    int decided = decisions.find(start);
    if (decided != DecisionCache.NOT_FOUND) {
      if (decisions.passed(decided)) {
        replies.statusPassed(id, start, decisions.timestamp(decided));
      } else if (decisions.assigned(decided)) {
        statusAssigned(request, decided, replies);
      } else {
        replies.statusConflict(id, start);
      }
    } else if (mayHaveBeenForgotten(start)) {
      replies.statusUnknown(id, start);
    } else {
      replies.statusNotRequested(id);
    }
  }

  /**
   * Answers for an assigned transaction. A sender that does not know those finishes what passed,
   * unless it reads below the commit timestamp, and aborts what is unknown; so it hears the former
   * only if it will skip, and the latter when the transaction's own client has had its time [Z2].
   */
  private void statusAssigned(RequestCursor request, int decided, ReplyWriter replies) {
    long id = request.id();
    long start = request.startTimestamp();
    long commitTimestamp = decisions.timestamp(decided);
    long left = GRACE_MILLIS - assignedMillisAgo(decided);
    if (request.knowsAssigned()) {
      replies.statusAssigned(id, start, commitTimestamp, left <= 0);
    } else if (request.snapshot() != 0 && request.snapshot() < commitTimestamp) {
      replies.statusInvisible(id, commitTimestamp);
    } else if (left > 0) {
      replies.failed(id, Failure.OVERLOADED, (int) left);
    } else {
      replies.statusUnknown(id, start);
    }
  }

  /** Age of an assignment; one of a predecessor is at least as old as this epoch. */
  private long assignedMillisAgo(int decided) {
    long now = monotonicMillis();
    long known = decisions.assignedMillisAgo(decided, now);
    return known == DecisionCache.UNKNOWN_AGE ? now - bornMillis : known;
  }

  private long monotonicMillis() {
    return Math.floorDiv(timestamps.monotonicNanos(), TimeUnit.MILLISECONDS.toNanos(1));
  }

  /** Returns true if the past or future decision on a transaction not remembered is unknown. */
  boolean mayHaveBeenForgotten(long start) {
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
}
