package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;

/** Delegating guards; a mutant omits a check. */
public class PassingGuards implements RegionGuards {

  private final RegionGuards guards;

  public PassingGuards(RegionGuards guards) {
    this.guards = guards;
  }

  @Override
  public void requireKnown(long floor) {
    guards.requireKnown(floor);
  }

  @Override
  public void requirePossible(long timestamp) {
    guards.requirePossible(timestamp);
  }

  @Override
  public void requirePossibleMark(long mark) {
    guards.requirePossibleMark(mark);
  }

  @Override
  public void requireIssued(long timestamp, IssueProof proof) {
    guards.requireIssued(timestamp, proof);
  }

  @Override
  public void requireStoredIssued(long commit) {
    guards.requireStoredIssued(commit);
  }

  @Override
  public long mark(long timestamp) {
    return guards.mark(timestamp);
  }

  @Override
  public void requireOwner(long start, Proof proof) {
    guards.requireOwner(start, proof);
  }

  @Override
  public void requirePassed(long start, long commit, Tag pass) {
    guards.requirePassed(start, commit, pass);
  }

  @Override
  public void requireVoided(long start, Tag voided) {
    guards.requireVoided(start, voided);
  }

  @Override
  public void requireHealed(long start, long commit, Tag healed) {
    guards.requireHealed(start, commit, healed);
  }

  @Override
  public void requireFate(TransactionId id, Fate fate) {
    guards.requireFate(id, fate);
  }

  @Override
  public boolean isStated(TransactionId id, Fate fate) {
    return guards.isStated(id, fate);
  }

  @Override
  public boolean isProved(long start, TransactionCell leader) {
    return guards.isProved(start, leader);
  }

  @Override
  public TransactionCell proved(TransactionCell committed, Tag pass) {
    return guards.proved(committed, pass);
  }

  @Override
  public Outcome stated(TransactionId id, Outcome leader) {
    return guards.stated(id, leader);
  }

  @Override
  public long abortableBelow() {
    return guards.abortableBelow();
  }

  @Override
  public void requireAdmissible(long start, long tableFloor) {
    guards.requireAdmissible(start, tableFloor);
  }

  @Override
  public void requireStillAdmissible(long start, long tableFloor) {
    guards.requireStillAdmissible(start, tableFloor);
  }

  @Override
  public void requireAboveSafePoint(long snapshot) {
    guards.requireAboveSafePoint(snapshot);
  }

  @Override
  public void requireReadable(long snapshot) {
    guards.requireReadable(snapshot);
  }

  @Override
  public void requireDrawing() {
    guards.requireDrawing();
  }

  @Override
  public void requireSession() {
    guards.requireSession();
  }

  @Override
  public void bump(long timestamp) {
    guards.bump(timestamp);
  }

  @Override
  public long safePoint() {
    return guards.safePoint();
  }
}
