package io.lampone.coprocessor.core.fence;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.util.function.LongUnaryOperator;

/**
 * Guards of one open region.
 *
 * @param fence floor, safe point and bound as read since the region opened
 * @param gate blocks writes that draw versions until a tick has arrived
 * @param session of the server
 * @param clock of the server
 * @param proofs verifies grants and statements
 * @param ownSafePoint that of the table, which may keep snapshots longer than the cluster does
 */
public record ServerGuards(
    RegionFence fence,
    RegionReadiness gate,
    SessionProof session,
    LocalVersionClock clock,
    ProofCheck proofs,
    LongUnaryOperator ownSafePoint)
    implements RegionGuards {

  @Override
  public void requireKnown(long floor) {
    fence.requireKnown(floor);
  }

  @Override
  public void requirePossible(long timestamp) {
    fence.requirePossible(timestamp);
  }

  @Override
  public void requirePossibleMark(long mark) {
    fence.requirePossibleMark(mark);
  }

  @Override
  public void requireIssued(long timestamp, IssueProof proof) {
    if (!clock.isIssued(timestamp)) {
      proofs.requireIssued(timestamp, proof);
      clock.issued(timestamp);
    }
  }

  /**
   * A tick requested after the opening is above everything stored before it; timestamps stored
   * later were checked before they were stored.
   */
  @Override
  public void requireStoredIssued(long commit) {
    if (!clock.isIssued(commit)) {
      gate.requireOpen();
      clock.requireStoredIssued(commit);
    }
  }

  @Override
  public long mark(long timestamp) {
    return clock.isIssued(timestamp) ? proofs.mark(timestamp) : 0;
  }

  @Override
  public void requireOwner(long start, Proof proof) {
    proofs.requireOwner(start, proof);
    clock.issued(start);
  }

  @Override
  public void requirePassed(long start, long commit, Tag pass) {
    proofs.requirePassed(start, commit, pass);
    clock.issued(commit);
  }

  @Override
  public void requireVoided(long start, Tag voided) {
    proofs.requireVoided(start, voided);
  }

  @Override
  public void requireHealed(long start, long commit, Tag healed) {
    proofs.requireHealed(start, commit, healed);
    clock.issued(commit);
  }

  @Override
  public void requireFate(TransactionId id, Fate fate) {
    proofs.requireFate(id, fate);
    if (fate.commitTimestamp() != 0) {
      clock.issued(fate.commitTimestamp());
    }
  }

  @Override
  public boolean isStated(TransactionId id, Fate fate) {
    return proofs.isStated(id, fate);
  }

  @Override
  public TransactionId shown(String table, TransactionId id) {
    return proofs.shown(table, id);
  }

  @Override
  public void met() {
    proofs.met();
  }

  @Override
  public boolean isProved(long start, TransactionCell leader) {
    return proofs.isProved(start, leader, fence.proofsFrom());
  }

  @Override
  public TransactionCell proved(TransactionCell committed, Tag pass) {
    return proofs.from(fence.proofsFrom()) == 0 ? committed : committed.provedBy(pass);
  }

  @Override
  public Outcome stated(TransactionId id, Outcome leader) {
    return proofs.stated(id, leader);
  }

  @Override
  public long abortableBelow() {
    return Math.max(fence.endedBelow(), proofs.abortableBelow(fence.latest()));
  }

  @Override
  public void requireAdmissible(long start, long tableFloor) {
    fence.requireAboveFloor(start, tableFloor);
  }

  @Override
  public void requireStillAdmissible(long start, long tableFloor) {
    fence.requireAboveFloor(start, tableFloor);
  }

  @Override
  public void requireAboveSafePoint(long snapshot) {
    fence.requireAboveSafePoint(snapshot);
  }

  @Override
  public void requireReadable(long snapshot) {
    fence.requireAboveSafePoint(snapshot, ownSafePoint);
  }

  @Override
  public void requireDrawing() {
    gate.requireOpen();
  }

  @Override
  public void requireSession() {
    session.require();
  }

  @Override
  public void bump(long timestamp) {
    clock.bump(timestamp);
  }

  @Override
  public long safePoint() {
    return fence.safePoint();
  }
}
