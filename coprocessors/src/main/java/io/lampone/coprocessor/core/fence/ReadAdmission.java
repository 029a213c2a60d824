package io.lampone.coprocessor.core.fence;

import io.lampone.coprocessor.core.visibility.SnapshotView;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;

/**
 * Checks of a snapshot read (protocol page, section 6). The floor is known before the region is
 * read, so that intents that the read does not see are refused from then on [M1, M3]. The clock is
 * raised before it, so that no version is drawn below the snapshot any more. Safe point and session
 * are checked after it: what they guarantee must not end while it is under way.
 */
public final class ReadAdmission {

  private ReadAdmission() {}

  /** Before the read. */
  public static SnapshotView admit(ReadRequest request, long mark, RegionGuards guards) {
    guards.requireKnown(request.floor());
    guards.requirePossible(request.snapshot());
    guards.requireIssued(Math.max(request.snapshot(), mark), request.issued());
    guards.bumpToMark(mark, request.issued());
    guards.bump(request.snapshot());
    return new SnapshotView(request, guards);
  }

  /** After it: {@code tableFloor} is above all that can be told from the table's newest state. */
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

  /** After it, before the reply. */
  public static void requireHolds(long snapshot, RegionGuards guards) {
    guards.requireReadable(snapshot);
    guards.requireSession();
  }
}
