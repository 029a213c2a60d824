package io.lampone.simulation.invariant;

import io.lampone.simulation.client.Flooder;
import io.lampone.simulation.manager.BatchExecutor;
import io.lampone.simulation.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Invariant that a principal that floods a transaction manager turns its tables over no sooner than
 * within their age, while others validate: a younger transaction is not refused as too old because
 * of it. Nor does it fill all room for operations in doubt, see {@link Flooder}. Needs honest
 * clocks.
 */
public final class RoomForOthers implements Invariant {

  /** A transaction manager counts at least nine tenths of the age, by a clock of about our rate. */
  private static final long SURE_NANOS = BatchExecutor.TABLE_AGE.toNanos() * 8 / 10;

  /** Sums of fractions are not exact. */
  private static final double ONE_TABLE = 1 + 1e-6;

  private final World world;

  /** Entries of the flood by transaction manager, since it leads and others validate. */
  private final Map<String, List<Added>> floods = new HashMap<>();

  /** True times of the last entries of others. */
  private final Map<String, Long> others = new HashMap<>();

  private record Added(long nanos, double fraction) {}

  public RoomForOthers(World world) {
    this.world = world;
  }

  @Override
  public void becamePrimary(String manager, long epoch) {
    floods.remove(manager);
    others.remove(manager);
  }

  @Override
  public void admitted(String manager, String principal, double fraction) {
    long now = world.nowNanos();
    if (!principal.equals(Flooder.NAME)) {
      others.put(manager, now);
      return;
    }
    List<Added> flood = floods.computeIfAbsent(manager, name -> new ArrayList<>());
    if (now - others.getOrDefault(manager, now - SURE_NANOS) >= SURE_NANOS) {
      flood.clear(); // a principal that is alone is not limited
    } else {
      flood.add(new Added(now, fraction));
    }
  }

  @Override
  public void tooOld(long start, long begunNanos) {
    if (world.nowNanos() - begunNanos >= SURE_NANOS) {
      return;
    }
    floods.forEach(
        (manager, flood) -> {
          double added =
              flood.stream()
                  .filter(each -> each.nanos() >= begunNanos)
                  .mapToDouble(Added::fraction)
                  .sum();
          if (added > ONE_TABLE) {
            world.violated(
                "RoomForOthers",
                "refused as too old, start=" + start + " tablesFilledSince=" + added);
          }
        });
  }
}
