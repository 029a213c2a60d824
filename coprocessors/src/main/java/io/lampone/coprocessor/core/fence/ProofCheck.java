package io.lampone.coprocessor.core.fence;

import io.lampone.coprocessor.core.RegionServerSettings;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.InspectionPass;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.KeyRing;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.ProofsFrom;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.trust.TermKeys;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verification of proofs at one region server (protocol page, section 13). A start timestamp is no
 * secret, because every intent shows it. So a request on behalf of a transaction must show its
 * owner's grant, and a request that decides it must show the transaction manager's statement.
 */
public final class ProofCheck {

  private static final Logger LOG = LoggerFactory.getLogger(ProofCheck.class);

  private final Proofs proofs;
  private final Duration abortableAge;
  private final KeyRing ring;
  private final boolean hidesPlaces;
  private final Runnable ticksNeeded;
  private final LongAdder intentsMet = new LongAdder();
  private final Clock clock;
  private final RareLine line;

  /** The statement about proofs verified last; null before the first. */
  private volatile @Nullable ProofsFrom proofsFrom;

  /** The grant verified last: a client sends several requests with the same one. */
  private volatile @Nullable Grant verified;

  /**
   * @param ring the keys of this server
   * @param abortableAge see {@link RegionServerSettings#ABORTABLE_AGE}
   * @param hidesPlaces whether to hide rows of other tables from users who may not read them
   * @param ticksNeeded called when a timestamp is not known to have been issued, and when a proof
   *     is of a term whose keys are unknown; must not block
   */
  public ProofCheck(
      KeyRing ring, Duration abortableAge, boolean hidesPlaces, Runnable ticksNeeded, Clock clock) {
    this.ring = ring;
    this.proofs = new Proofs(ring);
    this.abortableAge = abortableAge;
    this.hidesPlaces = hidesPlaces;
    this.ticksNeeded = ticksNeeded;
    this.clock = clock;
    this.line = new RareLine(clock);
  }

  /** Returns the start timestamp below which transactions are abortable at {@code now}. */
  long abortableBelow(long now) {
    return now - abortableAge.toNanos();
  }

  /** Refuses unless {@code pass} states that the transaction may commit at {@code commit}. */
  void requirePassed(long start, long commit, Tag pass) {
    require(proofs.verifyPass(start, commit, pass), start);
  }

  /** Refuses unless {@code voided} states that the transaction never passes. */
  void requireVoided(long start, Tag voided) {
    require(proofs.verifyVoid(start, voided), start);
  }

  /** Refuses unless {@code healed} states that every follower of the transaction has its fate. */
  void requireHealed(long start, long commit, Tag healed) {
    require(proofs.verifyHealed(start, commit, healed), start);
  }

  /** Refuses unless {@code fate} states what the leader of the transaction holds. */
  void requireFate(TransactionId id, Fate fate) {
    require(proofs.verifyFate(id, fate), id.startTimestamp());
  }

  /** Returns true if {@code fate} states what the leader of the transaction holds. */
  boolean isStated(TransactionId id, Fate fate) {
    Proofs.Verdict verdict = proofs.verifyFate(id, fate);
    requireKeys(verdict != Proofs.Verdict.UNKNOWN_TERM, id.startTimestamp());
    return verdict == Proofs.Verdict.VALID;
  }

  /** See {@link RegionGuards#isProved}; {@code told} as for {@link #from}. */
  boolean isProved(long start, TransactionCell leader, Optional<ProofsFrom> told) {
    if (!leader.state().isCommitted()) {
      return true;
    }
    long commit = leader.commitTimestamp();
    if (commit <= start) {
      return false;
    }
    if (!leader.pass().equals(Tag.NONE)) {
      Proofs.Verdict verdict = proofs.verifyPass(start, commit, leader.pass());
      requireKeys(verdict != Proofs.Verdict.UNKNOWN_TERM, start);
      if (verdict == Proofs.Verdict.VALID) {
        return true;
      }
    }
    long from = from(told);
    if (from == 0) {
      throw Refused.because(
          Refusal.Code.NOT_READY,
          "the transaction manager has not said yet from when on commits show proofs, start="
              + start);
    }
    return commit < from;
  }

  /**
   * Returns the commit timestamp from which on leaders show a proof; 0 = unknown. A valid statement
   * holds until another valid one arrives: a record without one, or with an invalid one, was not
   * written by a transaction manager of this version and cluster.
   *
   * @param told by the newest record
   */
  long from(Optional<ProofsFrom> told) {
    ProofsFrom known = proofsFrom;
    if (told.isPresent()
        && !told.get().equals(known)
        && proofs.verify(told.get()) == Proofs.Verdict.VALID) {
      known = told.get();
      proofsFrom = known;
    }
    return known == null ? 0 : known.timestamp();
  }

  /** Returns how often readers have met undecided intents. */
  public long intentsMet() {
    return intentsMet.sum();
  }

  /** See {@link Statements#met}. */
  void met() {
    intentsMet.increment();
  }

  /** See {@link Statements#shown}. */
  TransactionId shown(String table, TransactionId id) {
    if (!hidesPlaces || id.leader().table().equals(table)) {
      return id;
    }
    requireKeys(proofs.knowsTerm(id.startTimestamp()), id.startTimestamp());
    return proofs.hidden(id);
  }

  /**
   * Returns true if an inspection shows cells as they are stored: with a pass, or because there is
   * no cluster key. Refuses an invalid or expired pass instead of redacting: a client that shows
   * one expects to see everything. Healers of earlier versions do, and show something else.
   *
   * @param shown the bytes of a pass, or {@link InspectionPass#none}
   */
  public boolean mayInspect(byte[] shown) {
    if (proofs.isOpen()) {
      return true;
    }
    if (InspectionPass.isNone(shown)) {
      return false;
    }
    InspectionPass pass;
    try {
      pass = InspectionPass.decode(shown);
    } catch (MalformedException e) {
      throw Refused.because(
          Refusal.Code.UNPROVED,
          "the inspection shows no pass that can be read: update the lampone command, or the region"
              + " server whose healer searches");
    }
    Proofs.Verdict verdict = proofs.verify(pass);
    requireKeys(verdict != Proofs.Verdict.UNKNOWN_TERM, 0);
    if (verdict != Proofs.Verdict.VALID || !pass.isInTime(clock.wallMillis())) {
      throw Refused.because(
          Refusal.Code.UNPROVED,
          "the inspection pass has expired, or is of another cluster key than this region server's ("
              + RegionServerSettings.CLUSTER_KEY_FILE
              + "): obtain a new one, or compare the clocks and the keys");
    }
    return true;
  }

  /** Returns the outcome of a leader on this server, with its statement if it is decided. */
  Outcome stated(TransactionId id, Outcome leader) {
    if (!leader.isDecided()) {
      return leader;
    }
    requireKeys(proofs.knowsTerm(id.startTimestamp()), id.startTimestamp());
    return leader.stated(proofs.fate(id, leader.commitTimestamp()));
  }

  /** Refuses unless {@code proof} is a grant of the transaction that began at {@code start}. */
  void requireOwner(long start, Proof proof) {
    if (!(proof instanceof Grant grant) || !grant.covers(start)) {
      throw unproved(start);
    }
    Grant known = verified;
    if (known != null
        && known.first() == grant.first()
        && known.span() == grant.span()
        && known.secret().matches(grant.secret())) {
      return;
    }
    require(proofs.verify(grant), start);
    verified = grant;
  }

  /**
   * Refuses unless {@code proof} shows that {@code timestamp} has been issued. Without a proof,
   * fetches ticks to find out, and refuses as retryable.
   */
  void requireIssued(long timestamp, IssueProof proof) {
    if (proof.upTo() < Timestamps.tick(timestamp)) {
      ticksNeeded.run();
      throw Refused.because(
          Refusal.Code.NOT_READY,
          "the timestamp is not known here to have been issued, timestamp=" + timestamp);
    }
    require(proofs.verify(proof), timestamp);
  }

  /** Returns the tag that proves that {@code timestamp} has been issued; 0 without the keys. */
  long mark(long timestamp) {
    return ring.keys(TermKeys.termOf(timestamp)).isPresent() ? proofs.mark(timestamp) : 0;
  }

  private void require(Proofs.Verdict verdict, long start) {
    requireKeys(verdict != Proofs.Verdict.UNKNOWN_TERM, start);
    if (verdict != Proofs.Verdict.VALID) {
      throw unproved(start);
    }
  }

  private void requireKeys(boolean known, long start) {
    if (!known) {
      ticksNeeded.run();
      throw Refused.because(
          Refusal.Code.NOT_READY,
          "the keys of the transaction's term are not known here yet, start=" + start);
    }
  }

  private Refused unproved(long start) {
    line.happened()
        .ifPresent(
            times ->
                LOG.warn(
                    "request without the proof that it needs, start={} times={}", start, times));
    return Refused.because(
        Refusal.Code.UNPROVED,
        "the transaction belongs to another client, or has no such outcome, or its timestamp was not"
            + " issued; or the cluster key of this region server ("
            + RegionServerSettings.CLUSTER_KEY_FILE
            + ") is not that of the transaction manager, start="
            + start);
  }
}
