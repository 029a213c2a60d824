package io.lampone.simulation.manager;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.simulation.invariant.Invariant;
import io.lampone.simulation.world.Coordination;
import io.lampone.simulation.world.World;
import java.time.Duration;

/**
 * Invariant that timestamps do not follow a wall clock that is wrong: the bound in the record is
 * not far ahead of ZooKeeper's clock. Needs honest clocks.
 */
public final class TimestampsKeepTime implements Invariant {

  /** Larger than all timestamps drawn ahead, and than the lead of a clock. */
  private static final Duration FAR = Duration.ofHours(1);

  private final World world;
  private final Coordination coordination;

  public TimestampsKeepTime(World world, Coordination coordination) {
    this.world = world;
    this.coordination = coordination;
  }

  @Override
  public void recorded(ManagerRecord record) {
    long now = Timestamps.ceilingOfMillis(coordination.machine().clock().wallMillis());
    if (record.bound() - now > FAR.toNanos()) {
      world.violated("TimestampsKeepTime", "far ahead, bound=" + record.bound() + " now=" + now);
    }
  }
}
