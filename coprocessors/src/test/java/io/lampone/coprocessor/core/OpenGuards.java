package io.lampone.coprocessor.core;

import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;

/** The guards of a server that knows everything, proves everything and collects nothing. */
public class OpenGuards implements RegionGuards {

  @Override
  public void requireKnown(long floor) {}

  @Override
  public void requirePossible(long timestamp) {}

  @Override
  public void requirePossibleMark(long mark) {}

  @Override
  public void requireIssued(long timestamp, IssueProof proof) {}

  @Override
  public void requireStoredIssued(long commit) {}

  @Override
  public long mark(long timestamp) {
    return 0;
  }

  @Override
  public void requireOwner(long start, Proof proof) {}

  @Override
  public void requirePassed(long start, long commit, Tag pass) {}

  @Override
  public void requireVoided(long start, Tag voided) {}

  @Override
  public void requireHealed(long start, long commit, Tag healed) {}

  @Override
  public void requireFate(TransactionId id, Fate fate) {}

  @Override
  public boolean isStated(TransactionId id, Fate fate) {
    return true;
  }

  @Override
  public boolean isProved(long start, TransactionCell leader) {
    return true;
  }

  @Override
  public TransactionCell proved(TransactionCell committed, Tag pass) {
    return committed;
  }

  @Override
  public Outcome stated(TransactionId id, Outcome leader) {
    return leader;
  }

  @Override
  public long abortableBelow() {
    return 0;
  }

  @Override
  public void requireAdmissible(long start, long tableFloor) {}

  @Override
  public void requireStillAdmissible(long start, long tableFloor) {}

  @Override
  public void requireAboveSafePoint(long snapshot) {}

  @Override
  public void requireReadable(long snapshot) {}

  @Override
  public void requireDrawing() {}

  @Override
  public void requireSession() {}

  @Override
  public void bump(long timestamp) {}

  @Override
  public long safePoint() {
    return 0;
  }
}
