package io.lampone.simulation.hbase;

import io.lampone.protocol.wire.WireReply;
import io.lampone.simulation.Cluster;
import io.lampone.simulation.invariant.Invariant;
import io.lampone.simulation.manager.SimulatedManager;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.FaultHistory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Flushes and compacts regions, and lets the safe point follow the timestamps that are issued. */
public final class Janitor implements Invariant {

  /** Longest lag of the safe point: some transactions are caught by it, most are not. */
  private static final Duration LONGEST_LAG = Duration.ofMillis(250);

  private static final Duration SHORTEST_LAG = Duration.ofMillis(20);

  private final Cluster cluster;
  private final Chance chance;

  /** Start timestamps that were issued, and when; the newest last. */
  private final List<Issued> issued = new ArrayList<>();

  private boolean over;

  private record Issued(long timestamp, long atNanos) {}

  public Janitor(Cluster cluster) {
    this.cluster = cluster;
    this.chance = cluster.world().chance();
    Duration every = cluster.parts().plan().collectEvery();
    if (!every.isZero()) {
      cluster.invariantChecker().add(this);
      cluster.repeat(every, () -> over, this::act);
    }
  }

  @Override
  public void answered(String manager, long epoch, WireReply reply) {
    if (reply instanceof WireReply.Begun begun) {
      issued.add(new Issued(begun.begin().startTimestamp(), cluster.world().nowNanos()));
    }
  }

  /** Ends flushes, compactions and advances of the safe point. */
  public void end() {
    over = true;
  }

  private void act() {
    if (chance.oneIn(4)) {
      raiseSafePoint();
    } else {
      compact();
    }
  }

  private void raiseSafePoint() {
    long lagNanos = SHORTEST_LAG.toNanos() + chance.nanosUpTo(LONGEST_LAG);
    long before = cluster.world().nowNanos() - lagNanos;
    Optional<Issued> newest = Optional.empty();
    for (int i = issued.size() - 1; i >= 0 && newest.isEmpty(); i--) {
      newest = Optional.of(issued.get(i)).filter(one -> one.atNanos() <= before);
    }
    newest.ifPresent(
        one ->
            cluster.managers().stream()
                .filter(SimulatedManager::isLeading)
                .forEach(manager -> manager.advanceSafePoint(one.timestamp())));
  }

  private void compact() {
    List<ServedRegion> regions = new ArrayList<>();
    cluster.master().servers().forEach(server -> regions.addAll(server.regions()));
    if (!regions.isEmpty()) {
      ServedRegion region = chance.pick(regions);
      cluster.faults().done(FaultHistory.COMPACT, "region" + region.number());
      region.compact();
    }
  }
}
