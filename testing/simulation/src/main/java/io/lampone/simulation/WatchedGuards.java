package io.lampone.simulation;

import io.lampone.coprocessor.core.RegionGuards;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.Fate;

/** Guards of which the invariants hear what they let readers claim. */
final class WatchedGuards extends PassingGuards {

  private final Watchers watchers;

  WatchedGuards(RegionGuards guards, Watchers watchers) {
    super(guards);
    this.watchers = watchers;
  }

  @Override
  public boolean isStated(TransactionId id, Fate fate) {
    boolean isStated = super.isStated(id, fate);
    if (isStated) {
      watchers.judged(id.startTimestamp(), fate.commitTimestamp());
    }
    return isStated;
  }
}
