package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.RegionRequest;

/** Checks of a fast-path request (protocol page, section 8). */
public final class FastAdmission {

  private FastAdmission() {}

  /** Admits a write before any lock; raises the clock, so that its versions lie above. */
  public static void admit(RegionRequest request, RegionGuards guards) {
    guards.requireKnown(request.floor());
    if (request instanceof FastWrite write) {
      guards.bumpToMark(write.mark(), write.issued());
    } else if (request instanceof OneRegionCommit commit) {
      guards.requirePossible(commit.startTimestamp());
      guards.requireOwner(commit.startTimestamp(), commit.grant());
      guards.bumpToMark(commit.mark(), commit.issued());
      guards.bump(commit.startTimestamp());
    } else if (request instanceof OperationLookup lookup && lookup.isProved()) {
      guards.requireOwner(lookup.startTimestamp(), lookup.proof());
    }
    if (!(request instanceof OperationLookup)) {
      guards.requireDrawing();
    }
  }

  /** Checks the safe point under the row locks; no transaction manager does it here (H7). */
  public static void requireReadable(RegionRequest request, RegionGuards guards) {
    if (request instanceof OneRegionCommit commit) {
      guards.requireAboveSafePoint(commit.startTimestamp());
    }
  }

  /** Admits a read. */
  public static void admit(FastReadRequest request, RegionGuards guards) {
    guards.requireKnown(request.floor());
    guards.requirePossibleMark(request.mark());
    guards.requirePossibleMark(request.upTo());
    guards.requireIssued(Math.max(request.mark(), request.upTo()), request.issued());
  }
}
