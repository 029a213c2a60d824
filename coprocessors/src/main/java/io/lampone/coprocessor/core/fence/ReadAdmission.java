package io.lampone.coprocessor.core.fence;

import io.lampone.coprocessor.core.visibility.SnapshotView;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;

/**
 * Checks of a snapshot read (protocol page, section 6). Before the region is read, the floor is
 * known, so that intents that the read does not see are refused from then on [M1, M3]; and the
 * clock is raised, so that no version is drawn below the snapshot any more. Safe point and session
 * are checked after the read: their guarantees must hold until it has ended.
 */
public final class ReadAdmission {

  private ReadAdmission() {}

  /** Admits the request before the read. */
  public static SnapshotView admit(ReadRequest request, long mark, RegionGuards guards) {
    guards.requireKnown(request.floor());
    guards.requirePossible(request.snapshot());
    guards.requireIssued(Math.max(request.snapshot(), mark), request.issued());
    guards.bumpToMark(mark, request.issued());
    guards.bump(request.snapshot());
    return new SnapshotView(request, guards);
  }

  /** Checks after the read that the snapshot is not below the table's floor. */
  public static void requireAboveFloor(long snapshot, long tableFloor) {
    if (snapshot < tableFloor) {
      throw Refused.because(
          Refusal.Code.BELOW_SAFE_POINT,
          "snapshot is older than the table's floor, and the table does not know its past any more:"
              + " it has been created, enabled, made plain or fenced since, snapshot="
              + snapshot
              + " floor="
              + tableFloor);
    }
  }

  /** Checks safe point and session after the read, before the reply. */
  public static void requireHolds(long snapshot, RegionGuards guards) {
    guards.requireReadable(snapshot);
    guards.requireSession();
  }
}
