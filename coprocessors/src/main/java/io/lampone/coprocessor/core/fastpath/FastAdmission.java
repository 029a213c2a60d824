package io.lampone.coprocessor.core.fastpath;

import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.RegionRequest;

/** Checks of a request of the fast path (protocol page, section 8). */
public final class FastAdmission {

  private FastAdmission() {}

  /** Before any lock: the clock is raised first, so that versions of the request come above it. */
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

  /** Under the row locks. H7: there is no transaction manager on the way that would look at it. */
  public static void requireReadable(RegionRequest request, RegionGuards guards) {
    if (request instanceof OneRegionCommit commit) {
      guards.requireAboveSafePoint(commit.startTimestamp());
    }
  }

  /** Before a read. */
  public static void admit(FastReadRequest request, RegionGuards guards) {
    guards.requireKnown(request.floor());
    guards.requirePossibleMark(request.mark());
    guards.requirePossibleMark(request.upTo());
    guards.requireIssued(Math.max(request.mark(), request.upTo()), request.issued());
  }
}
