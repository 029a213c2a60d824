package io.lampone.simulation.manager;

import io.lampone.protocol.tm.BucketMap;
import io.lampone.simulation.Cluster;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Focus;
import io.lampone.simulation.world.Plan;
import io.lampone.simulation.world.World;
import io.lampone.tm.core.Validators;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An administrator who gives buckets to validators, moves and takes them, and validators that die,
 * stop, or are given up although they live.
 */
public final class BucketMoves {

  private static final Duration SHORTEST = Duration.ofMillis(15);
  private static final Duration SOON = Duration.ofMillis(4);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(700);
  private static final int ONE_STRADDLED_IN = 3;

  private final World world;
  private final Chance chance;
  private final Plan plan;
  private final List<SimulatedManager> managers;
  private final List<SimulatedManager> processes;
  private boolean over;

  private BucketMoves(Cluster cluster) {
    this.world = cluster.world();
    this.chance = world.chance();
    this.plan = cluster.parts().plan();
    this.managers = cluster.managers();
    this.processes = cluster.validators().processes();
    Duration slow = plan.pace().multipliedBy(3);
    Duration every = slow.compareTo(SHORTEST) < 0 ? SHORTEST : slow;
    cluster.repeat(every, () -> over, this::act);
    if (plan.focus() == Focus.STRADDLERS) {
      managers.forEach(manager -> manager.whenAssigned(() -> straddle(manager)));
    }
  }

  /** Begins, if the run has validators. */
  public static Optional<BucketMoves> of(Cluster cluster) {
    return cluster.validators().processes().isEmpty()
        ? Optional.empty()
        : Optional.of(new BucketMoves(cluster));
  }

  /** Ends all moves. */
  public void end() {
    over = true;
  }

  private void act() {
    managers.stream()
        .filter(manager -> manager.isUp() && manager.isLeading())
        .forEach(manager -> change(manager, false));
    if (!plan.faultEvery().isZero()) {
      SimulatedManager process = chance.pick(processes);
      switch (chance.between(0, 11)) {
        case 0 -> {
          if (process.isUp()) {
            process.crash();
          }
        }
        case 1 -> process.pause(chance.nanosUpTo(LONGEST_PAUSE));
        default -> {
          // Usually nothing happens.
        }
      }
    }
  }

  /** Moves buckets while a transaction has a commit timestamp, and has not committed. */
  private void straddle(SimulatedManager manager) {
    if (!over && chance.oneIn(ONE_STRADDLED_IN)) {
      manager.after(chance.nanosUpTo(SOON), () -> change(manager, true));
    }
  }

  private void change(SimulatedManager manager, boolean movesOnly) {
    if (manager.pausedUntilNanos() > world.nowNanos()) {
      return;
    }
    Validators validators = manager.validators();
    try {
      List<BucketMap.Node> owners = validators.map().validators();
      int what = owners.isEmpty() ? 0 : movesOnly ? 9 : chance.between(0, 9);
      switch (what) {
        case 0, 1, 2 -> add(manager, validators);
        case 3 -> {
          BucketMap.Node lost = chance.pick(owners);
          boolean now = chance.oneIn(2);
          manager.say(() -> "REMOVES validator=" + lost + " now=" + now);
          validators.remove(lost, now);
        }
        default -> move(manager, validators, owners);
      }
    } catch (IllegalStateException e) {
      manager.say(() -> "buckets do not move: " + e.getMessage());
    }
  }

  private void add(SimulatedManager manager, Validators validators) {
    SimulatedManager process = chance.pick(processes);
    validators
        .add(process.address())
        .whenComplete(
            (added, failure) ->
                manager.say(
                    () -> "ADDS validator=" + process.name() + " " + added + " " + failure));
  }

  private void move(SimulatedManager manager, Validators validators, List<BucketMap.Node> owners) {
    List<Optional<BucketMap.Node>> all = new ArrayList<>();
    all.add(Optional.empty());
    owners.forEach(owner -> all.add(Optional.of(owner)));
    BucketMap map = validators.map();
    List<Optional<BucketMap.Node>> having = new ArrayList<>();
    for (int owner = 0; owner < all.size(); owner++) {
      if (map.share(owner) > 0) {
        having.add(all.get(owner));
      }
    }
    Optional<BucketMap.Node> from = chance.pick(having);
    all.remove(from);
    Optional<BucketMap.Node> to = chance.pick(all);
    int count = chance.oneIn(2) ? BucketMap.BUCKETS : chance.between(1, BucketMap.BUCKETS);
    manager.say(() -> "MOVES buckets=" + count + " from=" + from + " to=" + to);
    validators.move(from, to, count);
  }
}
