package io.lampone.coprocessor.core.fence;

import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.clock.TimestampBatches;
import io.lampone.protocol.request.Refusal;

/**
 * Keeps writes that draw a version out of a region until this server may draw for it (protocol
 * page, section 8): where the region came from, snapshots may have been read that this server's
 * clock has never heard of. They are all below a tick that is issued after the region was opened,
 * by the transaction manager whose epoch was in charge after the region was opened [H3, H4, H10].
 */
public final class RegionReadiness {

  private final TimestampBatches timestampBatches;
  private final RegionFence fence;
  private final RecentVersions recent;
  private final long wanted;

  /** The tick; set once, when it has come. 0 until then. */
  private volatile long tick;

  /** Made when the region has opened. */
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

  /** The first tick that was fetched after the opening; 0 until it has come. */
  long tick() {
    long known = tick;
    if (known != 0) {
      return known;
    }
    TimestampBatches.Arrival arrival = timestampBatches.newest();
    if (arrival.request() < wanted || !fence.isEpochInCharge(arrival.epoch())) {
      return 0;
    }
    recent.openedBelow(arrival.firstTick());
    tick = arrival.firstTick();
    return arrival.firstTick();
  }

  /**
   * Called before a version is drawn.
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
