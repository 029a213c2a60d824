package io.lampone.simulation.mutant;

import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.trust.Minter;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.TailCursor;
import java.util.LinkedHashMap;
import java.util.Map;

/** Imitation of a validator that makes a mistake. */
final class CarelessVotes {

  /** Hashes that it keeps. */
  private static final int LARGE = 256;

  /** The same for what it forgets without a trace. */
  private static final int SMALL = 2;

  /** Mistake of the validator. */
  enum Mistake {
    /** It votes on timestamps that were not assigned. */
    NO_PASS,
    /** It votes as the process that it replaces. */
    NO_INCARNATION,
    /** It does not remember what was read. */
    NO_READS,
    /** It asks for reads only if the writer has read as well. */
    READS_FOR_READERS_ONLY,
    /** It forgets reads without a trace. */
    READS_EVICTED,
    /** It forgets writes without a trace. */
    WRITES_EVICTED
  }

  private final Mistake mistake;
  private final Table writes;
  private final Table reads;

  CarelessVotes(Mistake mistake) {
    this.mistake = mistake;
    this.writes = new Table(mistake == Mistake.WRITES_EVICTED ? SMALL : LARGE);
    this.reads = new Table(mistake == Mistake.READS_EVICTED ? 1 : LARGE);
  }

  /** The highest timestamp of each hash. */
  private static final class Table {

    private final int capacity;
    private final Map<Long, Long> highest = new LinkedHashMap<>();
    private long low;

    Table(int capacity) {
      this.capacity = capacity;
    }

    long highest(long hash) {
      return highest.getOrDefault(hash, 0L);
    }

    void record(long hash, long timestamp) {
      if (highest(hash) >= timestamp) {
        return;
      }
      highest.remove(hash);
      highest.put(hash, timestamp);
      if (highest.size() > capacity) {
        long oldest = highest.keySet().iterator().next();
        low = Math.max(low, highest(oldest));
        highest.remove(oldest);
      }
    }
  }

  /** Returns true if it takes the commit timestamp of a vote for one that has been assigned. */
  static boolean isAssigned(RequestCursor request, Mistake mistake) {
    if (mistake == Mistake.NO_PASS) {
      return true;
    }
    TailCursor vote = request.tail();
    Minter minter = Proofs.OPEN.minter();
    minter.pass(request.startTimestamp(), vote.commitTimestamp());
    return minter.first() == vote.pass(0) && minter.second() == vote.pass(1);
  }

  /** Answers a vote of this incarnation. */
  void vote(RequestCursor request, ReplyWriter replies) {
    TailCursor vote = request.tail();
    long start = request.startTimestamp();
    long commit = vote.commitTimestamp();
    boolean tooOld =
        mistake != Mistake.WRITES_EVICTED && Math.max(vote.from(), start) < writes.low
            || mistake != Mistake.READS_EVICTED && request.records() > 0 && commit <= reads.low;
    if (tooOld) {
      replies.refused(request.id(), Reason.BELOW_WATERMARK, 0);
      return;
    }
    for (int i = 0; i < request.checks(); i++) {
      long last = writes.highest(request.check(i));
      if (last > start && last != commit) {
        replies.conflict(request.id(), i, last);
        return;
      }
    }
    boolean late = mistake != Mistake.READS_FOR_READERS_ONLY || vote.reads() > 0;
    for (int i = 0; i < request.records(); i++) {
      long last = reads.highest(request.record(i));
      if (late && last > commit) {
        replies.conflict(request.id(), request.checks() + i, last);
        return;
      }
    }
    for (int i = 0; mistake != Mistake.NO_READS && i < vote.reads(); i++) {
      reads.record(request.check(i), commit);
    }
    for (int i = 0; i < request.records(); i++) {
      writes.record(request.record(i), commit);
    }
    replies.voted(request.id());
  }
}
