package io.lampone.tm.core.validation;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.trust.Minter;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.RequestType;
import io.lampone.protocol.wire.TailCursor;
import io.lampone.protocol.wire.WireReply.Failure;

/**
 * Votes on transactions that the primary has assigned a commit timestamp (protocol page, section
 * 14). Centiman's validator and LeanXcale's conflict manager (papers 003 and 000), without a window
 * of time: votes may arrive in any order, and are idempotent without a memory of votes.
 *
 * <pre>
 *   another incarnation                                          MOVED
 *   from below the evicted writes; records below evicted reads   BELOW_WATERMARK: cannot tell
 *   a checked hash is recorded above start, not by this one      conflict
 *   a recorded hash has been read above commit                   conflict
 *   otherwise                                                    voted, and recorded
 * </pre>
 *
 * <p>A vote is no decision, and a validator needs no lease: a yes of one that has lost its buckets
 * counts only for its own era, of which it knows everything.
 *
 * <p>Single-threaded: each vote is atomic with respect to the others.
 */
public final class VotingCore {

  /** Hashes written that are kept per hash that was only checked. */
  private static final int READS_DIVISOR = 4;

  private final long incarnation;
  private final Minter minter;
  private final VoteTable writes;
  private final VoteTable reads;
  private final VerifiedGrants grants;
  private final Reservations reservations = new Reservations();
  private final Clock clock;

  private long votes;
  private long hashes;

  /**
   * @param incarnation random number of the process
   * @param capacity number of hashes written that are kept
   * @param clock for reservations
   */
  public VotingCore(long incarnation, int capacity, Proofs proofs, Clock clock) {
    this.incarnation = incarnation;
    this.clock = clock;
    this.grants = new VerifiedGrants(proofs);
    this.minter = proofs.minter();
    this.writes = new VoteTable(capacity);
    this.reads = new VoteTable(Math.max(1, capacity / READS_DIVISOR));
  }

  /** Returns the number of votes so far. */
  public long votes() {
    return votes;
  }

  /** Returns the number of hashes checked and recorded so far. */
  public long hashes() {
    return hashes;
  }

  /** Returns the number of hashes written that are kept. */
  public long entries() {
    return writes.entries();
  }

  /** Returns the number of hashes that running transactions have reserved. */
  public int reservations() {
    return reservations.size(clock.monotonicNanos());
  }

  /** Returns the timestamp below which votes cannot be given any more. */
  public long low() {
    return writes.low();
  }

  /**
   * Executes a frame of votes and reservations. Executes none of them if one is on a commit
   * timestamp that the primary has not assigned to its transaction, or reserves for a transaction
   * of another client. Requests of other kinds are refused.
   */
  public BatchOutcome handle(RequestCursor requests, ReplyWriter replies) {
    while (requests.next()) {
      if (requests.type() == RequestType.VOTE && !isAssigned(requests)
          || requests.type() == RequestType.RESERVE && !grants.isOwner(requests)) {
        return new BatchOutcome.Unowned(requests.startTimestamp());
      }
    }
    requests.rewind();
    while (requests.next()) {
      if (requests.type() == RequestType.VOTE) {
        vote(requests, replies);
      } else if (requests.type() == RequestType.RESERVE) {
        reservations.answer(requests, writes::highest, clock.monotonicNanos(), replies);
      } else {
        replies.failed(requests.id(), Failure.BAD_TIMESTAMP, 0);
      }
    }
    return BatchOutcome.ANSWERED;
  }

  private boolean isAssigned(RequestCursor request) {
    TailCursor vote = request.tail();
    long start = request.startTimestamp();
    minter.pass(start, vote.commitTimestamp());
    long difference = (minter.first() ^ vote.pass(0)) | (minter.second() ^ vote.pass(1));
    return difference == 0 && vote.commitTimestamp() > start;
  }

  private void vote(RequestCursor request, ReplyWriter replies) {
    TailCursor vote = request.tail();
    long id = request.id();
    long commit = vote.commitTimestamp();
    int checks = request.checks();
    int records = request.records();
    votes++;
    hashes += checks + records;
    if (vote.incarnation() != incarnation) {
      replies.refused(id, Reason.MOVED, 0);
      return;
    }
    reservations.end(request);
    if (Math.max(vote.from(), request.startTimestamp()) < writes.low()
        || records > 0 && commit <= reads.low()) {
      replies.refused(id, Reason.BELOW_WATERMARK, 0);
      return;
    }
    for (int i = 0; i < checks; i++) {
      long last = writes.highest(request.check(i));
      if (last > request.startTimestamp() && last != commit) {
        replies.conflict(id, i, last);
        return;
      }
    }
    for (int i = 0; i < records; i++) {
      long last = reads.highest(request.record(i));
      if (last > commit) {
        replies.conflict(id, checks + i, last);
        return;
      }
    }
    for (int i = 0; i < vote.reads(); i++) {
      reads.record(request.check(i), commit);
    }
    for (int i = 0; i < records; i++) {
      writes.record(request.record(i), commit);
    }
    replies.voted(id);
  }
}
