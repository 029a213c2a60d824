package io.lampone.tm.core.validation;

import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.RequestType;
import io.lampone.protocol.wire.WireReply.Failure;
import io.lampone.tm.core.oracle.CommitTimestamps;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Checks transactions for conflicts and remembers decisions (protocol page, sections 5 and 7).
 * Draws commit timestamps from its source and issues none itself.
 *
 * <p>Single-threaded: drawing a commit timestamp, changing the conflict table and recording the
 * decision are one atomic step for other requests.
 */
public final class ValidatorCore {

  /**
   * Age of an assignment from which on other clients receive a statement to abort the transaction.
   * Until then only the transaction's own client decides it, however short the patience of others.
   * A client that certifies for longer validates again, see {@link Prolongations}.
   */
  public static final Duration ASSIGNED_GRACE = Duration.ofMillis(100);

  /** The grace period when both times are truncated to milliseconds. */
  private static final long GRACE_MILLIS = ASSIGNED_GRACE.toMillis() + 1;

  /** Locations prefetched before a frame is executed; so many cache lines fit into a cache. */
  private static final int MAX_FETCHED = 4096;

  private final CommitTimestamps timestamps;
  private final ConflictTable conflicts;
  private final DecisionCache decisions;
  private final BucketOwners owners;
  private final VerifiedGrants grants;
  private final Reservations reservations = new Reservations();
  private final Prolongations prolongations = new Prolongations(GRACE_MILLIS);
  private final long bornMillis;

  /** The smallest start timestamp admissible in this epoch. */
  private final long floor;

  /** Keeps the reads of {@link #fetch} from being optimized away; has no other purpose. */
  private int fetched;

  /** The decided safe point, maybe unpublished: undecided transactions below it are refused. */
  private long safePoint;

  public ValidatorCore(
      CommitTimestamps timestamps,
      ConflictTable conflicts,
      DecisionCache decisions,
      BucketOwners owners,
      long floor,
      long safePoint,
      Proofs proofs) {
    this.owners = owners;
    this.timestamps = timestamps;
    this.conflicts = conflicts;
    this.decisions = decisions;
    this.grants = new VerifiedGrants(proofs);
    this.floor = floor;
    this.safePoint = safePoint;
    this.bornMillis = monotonicMillis();
  }

  /** Returns the safe point that has been decided. */
  long safePoint() {
    return safePoint;
  }

  /** Refuses undecided transactions below {@code timestamp} from now on; never goes back. */
  void raiseSafePoint(long timestamp) {
    safePoint = Math.max(safePoint, timestamp);
  }

  /**
   * Returns true if every validation of a frame carries the grant of its transaction; stops at the
   * first one that does not. Prefetches what the validations will look up, see {@link #fetch}.
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

  /** Returns true if a validate or reserve request carries the grant of its transaction. */
  boolean owns(RequestCursor request) {
    return grants.isOwner(request);
  }

  /**
   * Reads the locations of the conflict table that a validation will look up, up to a limit. The
   * table is far larger than any cache; a processor can wait for ten independent cache misses in
   * the time of one. Changes nothing.
   *
   * @param recorded number of hashes that earlier validations of the frame will record
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
      // Most recorded hashes are checked too, at the same index; the marks of families are not.
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
    // Decisions first: they stand regardless of later changes of floor and watermark. But an
    // assigned timestamp belongs to a map that is at least as new as its assignment.
    int decided = decisions.find(start);
    if (request.has(FrameLayout.FLAG_SHARDED) && !owners.mayValidate(request)) {
      if (decided != DecisionCache.NOT_FOUND && decisions.assigned(decided)) {
        prolong(request, decided);
      }
      replies.refused(id, Reason.MOVED, 0);
    } else if (decided != DecisionCache.NOT_FOUND) {
      giveAgain(request, decided, replies);
    } else if (start < floor) {
      replies.refused(id, Reason.BELOW_FLOOR, 0);
    } else if (start < safePoint) {
      replies.refused(id, Reason.BELOW_SAFE_POINT, 0);
    } else if (!request.has(FrameLayout.FLAG_FIRST_SENDING) && start <= decisions.horizon()) {
      // Its own entry in the conflict table would count as that of another transaction.
      replies.refused(id, Reason.FORGOTTEN, 0);
    } else if (start < conflicts.lowWatermark()) {
      replies.refused(id, Reason.BELOW_WATERMARK, 0);
    } else if (!owners.mayValidate(request)) {
      // Of an older client this is true as well: its transaction can no longer be validated here.
      replies.refused(
          id, request.can(Capabilities.BUCKETS) ? Reason.MOVED : Reason.BELOW_WATERMARK, 0);
    } else {
      decide(request, replies);
    }
  }

  private void giveAgain(RequestCursor request, int decided, ReplyWriter replies) {
    long id = request.id();
    if (decisions.passed(decided)) {
      replies.passed(id, request.startTimestamp(), decisions.timestamp(decided));
    } else if (decisions.assigned(decided)) {
      prolong(request, decided);
      assigned(request, decisions.timestamp(decided), replies);
    } else {
      replies.conflict(id, decisions.checkIndex(decided), decisions.timestamp(decided));
    }
  }

  private void prolong(RequestCursor request, int decided) {
    long now = monotonicMillis();
    if (request.has(FrameLayout.FLAG_CONDITIONAL)
        && !request.has(FrameLayout.FLAG_FIRST_SENDING)
        && prolongations.mayProlong(
            request.startTimestamp(), request.sender(), assignedMillisAgo(decided), now)) {
      decisions.prolong(decided, now);
    }
  }

  /** A sender without the capability cannot have requested an assignment: it must not get one. */
  private static void assigned(RequestCursor request, long commitTimestamp, ReplyWriter replies) {
    if (request.can(Capabilities.ASSIGNED)) {
      replies.assigned(request.id(), request.startTimestamp(), commitTimestamp);
    } else {
      replies.refused(request.id(), Reason.FORGOTTEN, 0);
    }
  }

  /** Answers a reservation; makes none for a transaction that is decided or can no longer pass. */
  void reserve(RequestCursor request, ReplyWriter replies) {
    long start = request.startTimestamp();
    boolean releases = request.has(FrameLayout.FLAG_RELEASE);
    boolean over =
        start < Math.max(floor, safePoint) || decisions.find(start) != DecisionCache.NOT_FOUND;
    if (over && !releases) {
      replies.reserved(request.id());
    } else if (!releases && !owners.mayValidate(request)) {
      replies.refused(request.id(), Reason.MOVED, 0);
    } else {
      reservations.answer(request, conflicts::lastCommit, timestamps.monotonicNanos(), replies);
    }
  }

  /** Returns the number of hashes that running transactions have reserved. */
  int reservations() {
    return reservations.size(timestamps.monotonicNanos());
  }

  private void decide(RequestCursor request, ReplyWriter replies) {
    reservations.end(request);
    long id = request.id();
    long start = request.startTimestamp();
    int checks = request.checks();
    // Nearly every hash that is present was committed before this transaction began. If its
    // position in the table proves that, the check costs one memory access instead of two.
    boolean conditional = request.has(FrameLayout.FLAG_CONDITIONAL);
    long since = checks > 0 || conditional ? conflicts.firstThatMayBeAfter(start) : 0;
    if (conditional && conflicts.lastCommitSince(hashOf(start), since) > start) {
      // A delayed frame: its repetition has been assigned a timestamp that has been forgotten
      // since. A second timestamp would hide the one at which the transaction may commit.
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
    long commitTimestamp = timestamps.next(request.has(FrameLayout.FLAG_REPORTED));
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

  /** Returns the hash by which a conditional validation finds itself: a mixing bijection. */
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
   * Answers for an assigned transaction. A sender without the capability ASSIGNED finishes what has
   * passed, unless it reads below the commit timestamp, and aborts what is unknown. It therefore
   * gets <em>passed</em> only if it will skip the transaction, and <em>unknown</em> only after the
   * grace period of the transaction's own client [Z2].
   */
  private void statusAssigned(RequestCursor request, int decided, ReplyWriter replies) {
    long id = request.id();
    long start = request.startTimestamp();
    long commitTimestamp = decisions.timestamp(decided);
    long left = prolongations.graceMillis(start) - assignedMillisAgo(decided);
    if (request.can(Capabilities.ASSIGNED)) {
      replies.statusAssigned(id, start, commitTimestamp, left <= 0);
    } else if (request.snapshot() != 0 && request.snapshot() < commitTimestamp) {
      replies.statusInvisible(id, commitTimestamp);
    } else if (left > 0) {
      replies.failed(id, Failure.OVERLOADED, (int) left);
    } else {
      replies.statusUnknown(id, start);
    }
  }

  /** Returns the age of an assignment; one of a predecessor is at least as old as this epoch. */
  private long assignedMillisAgo(int decided) {
    long now = monotonicMillis();
    long known = decisions.assignedMillisAgo(decided, now);
    return known == DecisionCache.UNKNOWN_AGE ? now - bornMillis : known;
  }

  private long monotonicMillis() {
    return Math.floorDiv(timestamps.monotonicNanos(), TimeUnit.MILLISECONDS.toNanos(1));
  }

  /** Returns true if the past or future decision on an unknown transaction is undetermined. */
  boolean mayHaveBeenForgotten(long start) {
    return start <= decisions.horizon() || isRefusedForGood(start);
  }

  /**
   * Returns true if an undecided transaction can never pass here. The answer "not requested" would
   * make readers skip its intents forever; the answer "unknown" allows a reader to abort it on its
   * leader.
   */
  private boolean isRefusedForGood(long start) {
    return start < floor || start < safePoint || start < conflicts.lowWatermark();
  }
}
