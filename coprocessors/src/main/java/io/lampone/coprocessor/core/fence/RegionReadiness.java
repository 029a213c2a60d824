package io.lampone.coprocessor.core.fence;

import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.clock.TimestampBatches;
import io.lampone.protocol.request.Refusal;

/**
 * Blocks writes that draw a version until this server may draw for the region (protocol page,
 * section 8): snapshots unknown to this server's clock may have been read on the region's previous
 * server. They are all below a tick issued after the region was opened by the transaction manager
 * whose epoch was in charge then [H3, H4, H10].
 */
public final class RegionReadiness {

  private final TimestampBatches timestampBatches;
  private final RegionFence fence;
  private final RecentVersions recent;
  private final long wanted;

  /** The tick; set once, under this, 0 until it has arrived. */
  private volatile long tick;

  /** Creates the state of a region that has just opened. */
  public RegionReadiness(
      TimestampBatches timestampBatches, RegionFence fence, RecentVersions recent) {
    this.timestampBatches = timestampBatches;
    this.fence = fence;
    this.recent = recent;
    this.wanted = timestampBatches.afterNow();
  }

  /** Returns true if versions may be drawn. */
  public boolean isOpen() {
    return tick() != 0;
  }

  /** Returns the first tick fetched after the opening; 0 until it has arrived. */
  long tick() {
    long known = tick;
    if (known != 0) {
      return known;
    }
    TimestampBatches.Arrival arrival = timestampBatches.newest();
    if (arrival.request() < wanted || !fence.isEpochInCharge(arrival.epoch())) {
      return 0;
    }
    synchronized (this) {
      if (tick == 0) {
        recent.openedBelow(arrival.firstTick());
        tick = arrival.firstTick();
      }
    }
    return tick;
  }

  /**
   * Requires that versions may be drawn.
   *
   * @throws Refused NOT_READY
   */
  public void requireOpen() {
    if (!isOpen()) {
      throw Refused.because(
          Refusal.Code.NOT_READY,
          "the server has had no timestamp from the transaction manager since the region was"
              + " opened: it keeps asking, see its log if this lasts");
    }
  }
}
