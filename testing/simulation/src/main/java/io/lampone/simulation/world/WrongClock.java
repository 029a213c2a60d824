package io.lampone.simulation.world;

import io.lampone.simulation.Cluster;
import io.lampone.simulation.manager.SimulatedManager;
import java.time.Duration;
import java.util.Optional;

/**
 * Wall clock of one of the transaction managers, a day ahead for a while, now and then since before
 * its process began. The others' and ZooKeeper's are right, or behind.
 */
public final class WrongClock {

  private static final long SALT = 0xC10C4BADC10C4BADL;
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration LONGEST = Duration.ofMillis(900);

  private final Cluster cluster;
  private final Chance chance;
  private final SimulatedManager manager;
  private boolean ahead;
  private boolean over;

  private WrongClock(Cluster cluster, Chance chance) {
    this.cluster = cluster;
    this.chance = chance;
    this.manager = chance.pick(cluster.managers());
  }

  /** Returns the fault of a run, if it has one; it happens from now on. */
  public static Optional<WrongClock> of(Cluster cluster, long seed) {
    if (!cluster.parts().plan().clocksCompared()) {
      return Optional.empty();
    }
    WrongClock fault = new WrongClock(cluster, new Chance(seed ^ SALT));
    fault.goOn();
    return Optional.of(fault);
  }

  /** Puts the clock right, for good. */
  public void end() {
    over = true;
    if (ahead) {
      step();
    }
  }

  private void goOn() {
    cluster
        .coordination()
        .machine()
        .after(
            chance.nanosUpTo(LONGEST),
            () -> {
              if (!over) {
                relieve();
                step();
                goOn();
              }
            });
  }

  private void step() {
    ahead = !ahead;
    manager.clock().stepWall(ahead ? DAY : DAY.negated());
    cluster.faults().done(FaultHistory.CLOCK, manager.name());
    if (ahead && manager.isUp() && !chance.oneIn(3)) {
      manager.crash();
      cluster.faults().killed(FaultHistory.KILL, manager);
    }
  }

  /** Hands over, like a primary that has detected its wrong clock. */
  private void relieve() {
    if (manager.wantsRelief()) {
      cluster.managers().stream()
          .filter(other -> other != manager)
          .findFirst()
          .ifPresent(manager::handOver);
    }
  }
}
