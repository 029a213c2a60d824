package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.trust.ProofsFrom;
import java.util.Optional;
import java.util.function.LongUnaryOperator;

/**
 * Fences of one open region: those of its server, from a read after it was opened. So a region that
 * has moved here knows at least what it knew on its previous server [M2, M12].
 */
public final class RegionFence {

  private final Fences fences;
  private final long openedBefore;

  RegionFence(Fences fences, long openedBefore) {
    this.fences = fences;
    this.openedBefore = openedBefore;
  }

  /** Requires that the server knows the sender's floor [M3] (protocol page, section 6). */
  public void requireKnown(long requestFloor) {
    fences.requireKnown(openedBefore, requestFloor);
  }

  /** Requires a global timestamp that a transaction manager can have issued (D11). */
  public void requirePossible(long timestamp) {
    if (!Timestamps.isGlobal(timestamp)) {
      throw Refused.because(
          Refusal.Code.IMPOSSIBLE_TIMESTAMP,
          "not a start or commit timestamp, timestamp=" + timestamp);
    }
    fences.requirePossible(timestamp);
  }

  /** Requires that a session's mark, 0 = none, can have been issued (D11). */
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

  /** Returns true if no epoch newer than {@code epoch} was in charge at the opening (section 8). */
  boolean isEpochInCharge(long epoch) {
    return fences.isEpochInCharge(openedBefore, epoch);
  }

  /** Requires that the writer began at or above the floor (protocol page, section 6). */
  public void requireAboveFloor(long start, long tableFloor) {
    long floor = Math.max(fences.floor(), tableFloor);
    if (start < floor) {
      throw Refused.because(
          Refusal.Code.BELOW_FLOOR,
          "transaction began before the floor, start=" + start + " floor=" + floor);
    }
  }

  /** Requires that nothing {@code snapshot} needs has been collected. */
  public void requireAboveSafePoint(long snapshot) {
    requireAbove(snapshot, fences.safePoint());
  }

  /** Requires the same for a table that keeps old versions longer than the cluster. */
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

  /** Returns the timestamp below which no transaction that began there can pass any more. */
  long endedBelow() {
    return Math.max(fences.floor(), fences.safePoint());
  }

  /** Returns the latest time that this server knows. */
  long latest() {
    return fences.latest();
  }

  /** Returns the oldest snapshot still readable. */
  public long safePoint() {
    return fences.safePoint();
  }
}
