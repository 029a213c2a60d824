package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.trust.ProofsFrom;
import java.util.Optional;
import java.util.function.LongUnaryOperator;

/**
 * The fences of one open region: those of its server, and that they were read after it was opened.
 * A region that has moved here therefore knows at least what it knew where it came from [M2, M12].
 */
public final class RegionFence {

  private final Fences fences;
  private final long openedBefore;

  RegionFence(Fences fences, long openedBefore) {
    this.fences = fences;
    this.openedBefore = openedBefore;
  }

  /** Section 3.3, for every request: the server knows the sender's floor [M3]. */
  public void requireKnown(long requestFloor) {
    fences.requireKnown(openedBefore, requestFloor);
  }

  /** Section 1: {@code timestamp} is one that a transaction manager can have issued (D11). */
  public void requirePossible(long timestamp) {
    if (!Timestamps.isGlobal(timestamp)) {
      throw Refused.because(
          Refusal.Code.IMPOSSIBLE_TIMESTAMP,
          "not a start or commit timestamp, timestamp=" + timestamp);
    }
    fences.requirePossible(timestamp);
  }

  /** Section 8: the mark of a session, 0 = none, is one that can have been told to it (D11). */
  public void requirePossibleMark(long mark) {
    if (mark == 0) {
      return;
    }
    if (Timestamps.isPlain(mark)) {
      throw Refused.because(
          Refusal.Code.IMPOSSIBLE_TIMESTAMP, "not the mark of a session, mark=" + mark);
    }
    fences.requirePossible(Timestamps.tick(mark));
  }

  /** Section 8: no newer epoch than {@code epoch} was in charge when the region was opened. */
  boolean isEpochInCharge(long epoch) {
    return fences.isEpochInCharge(openedBefore, epoch);
  }

  /** Section 3.3: the writer began with the transaction manager that is now in charge. */
  public void requireAboveFloor(long start, long tableFloor) {
    long floor = Math.max(fences.floor(), tableFloor);
    if (start < floor) {
      throw Refused.because(
          Refusal.Code.BELOW_FLOOR,
          "transaction began before the floor, start=" + start + " floor=" + floor);
    }
  }

  /** Sections 3.2d and 3.3: nothing that {@code snapshot} needs has been collected. */
  public void requireAboveSafePoint(long snapshot) {
    requireAbove(snapshot, fences.safePoint());
  }

  /** The same for a table that keeps old versions longer than the cluster. */
  public void requireAboveSafePoint(long snapshot, LongUnaryOperator ownSafePoint) {
    requireAbove(snapshot, ownSafePoint.applyAsLong(fences.safePoint()));
  }

  private static void requireAbove(long snapshot, long safePoint) {
    if (snapshot < safePoint) {
      throw Refused.because(
          Refusal.Code.BELOW_SAFE_POINT,
          "snapshot is older than the safe point, snapshot="
              + snapshot
              + " safePoint="
              + safePoint);
    }
  }

  /** See {@link Fences#proofsFrom}. */
  Optional<ProofsFrom> proofsFrom() {
    return fences.proofsFrom();
  }

  /** No transaction that began below it can pass any more. */
  long endedBelow() {
    return Math.max(fences.floor(), fences.safePoint());
  }

  /** The latest time that this server knows. */
  long latest() {
    return fences.latest();
  }

  /** The oldest snapshot still readable. */
  public long safePoint() {
    return fences.safePoint();
  }
}
