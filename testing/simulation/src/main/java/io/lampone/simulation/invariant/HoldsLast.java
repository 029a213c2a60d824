package io.lampone.simulation.invariant;

import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.simulation.world.World;
import java.util.ArrayList;
import java.util.List;

/**
 * Invariant that a held snapshot stays readable until the hold ends, under any primary: the safe
 * point does not rise above it, and no region server refuses it. Needs honest clocks.
 */
public final class HoldsLast implements Invariant {

  private final World world;
  private final List<Held> holds = new ArrayList<>();

  private record Held(long snapshot, long untilNanos) {}

  public HoldsLast(World world) {
    this.world = world;
  }

  @Override
  public void held(long snapshot, long nanos) {
    holds.add(new Held(snapshot, world.nowNanos() + nanos));
  }

  @Override
  public void unreadable(long snapshot) {
    for (Held hold : holds) {
      if (hold.snapshot() <= snapshot && hold.untilNanos() > world.nowNanos()) {
        world.violated(
            "HoldsLast",
            "a snapshot is refused though one is held that is not above it, snapshot="
                + snapshot
                + " held="
                + hold.snapshot());
      }
    }
  }

  @Override
  public void recorded(ManagerRecord record) {
    holds.removeIf(hold -> hold.untilNanos() <= world.nowNanos());
    for (Held hold : holds) {
      if (record.safePoint() > hold.snapshot()) {
        world.violated(
            "HoldsLast",
            "the safe point has passed a snapshot that is held, safePoint="
                + record.safePoint()
                + " snapshot="
                + hold.snapshot());
      }
    }
  }
}
