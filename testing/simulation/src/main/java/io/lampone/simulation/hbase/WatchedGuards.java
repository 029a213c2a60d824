package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.Fate;
import io.lampone.simulation.invariant.InvariantChecker;

/** Guards that report each accepted claim of a reader to the invariants. */
final class WatchedGuards extends PassingGuards {

  private final InvariantChecker invariantChecker;

  WatchedGuards(RegionGuards guards, InvariantChecker invariantChecker) {
    super(guards);
    this.invariantChecker = invariantChecker;
  }

  @Override
  public boolean isStated(TransactionId id, Fate fate) {
    boolean isStated = super.isStated(id, fate);
    if (isStated) {
      invariantChecker.judged(id.startTimestamp(), fate.commitTimestamp());
    }
    return isStated;
  }
}
