package io.lampone.simulation.world;

import io.lampone.simulation.Cluster;
import io.lampone.simulation.client.SimulatedClient;
import io.lampone.simulation.hbase.RegionServer;
import io.lampone.simulation.invariant.Invariant;
import io.lampone.simulation.manager.SimulatedManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Faults: machines die, stop, and come back; regions move; clocks step. */
public final class FaultInjector implements Invariant {

  /** Between the first write that a log fails and the end of its server. */
  private static final Duration LONGEST_FAILING = Duration.ofMillis(300);

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(900);
  private static final Duration SHORT_PAUSE = Duration.ofMillis(60);
  private static final Duration SHORTEST_SLOW = Duration.ofMillis(200);
  private static final Duration LONGEST_SLOW = Duration.ofMillis(600);
  private static final Duration SHORT_LATENESS = Duration.ofMillis(60);
  private static final double SLOWEST = 0.02;
  private static final int SLOWEST_DIVISOR = 10;
  private static final int ONE_MOVES_IN = 4;
  private static final Duration WALL_STEP = Duration.ofDays(1);

  private final Cluster cluster;
  private final World world;
  private final FaultHistory faults;
  private final Chance chance;
  private final boolean rivals;

  /** Isolated transaction managers that continue to act as primary. */
  private final List<Lonely> lonely = new ArrayList<>();

  private long slowUntilNanos;
  private boolean over;

  private record Lonely(SimulatedManager manager, long untilNanos) {}

  public FaultInjector(Cluster cluster) {
    this.cluster = cluster;
    this.world = cluster.world();
    this.faults = cluster.faults();
    this.chance = world.chance();
    this.rivals = cluster.parts().plan().focus().hasRivals();
    Duration every = cluster.parts().plan().faultEvery();
    if (!every.isZero()) {
      cluster.invariantChecker().add(this);
      cluster.repeat(every, () -> over, this::act);
    }
  }

  /** Ends all faults. */
  public void end() {
    over = true;
  }

  private void act() {
    SimulatedManager manager = chance.pick(cluster.managers());
    RegionServer server = chance.pick(cluster.master().servers());
    SimulatedClient client = chance.pick(cluster.clients());
    boolean honest = cluster.parts().plan().honestClocks();
    if (rivals) {
      if (world.nowNanos() >= slowUntilNanos) {
        slowDownPrimary();
      }
      return;
    }
    if (!honest && chance.oneIn(2)) {
      slowDownPrimary();
      return;
    }
    switch (chance.between(0, 20)) {
      case 0 -> {
        if (manager.isUp() && honest) {
          manager.crash();
          faults.killed(FaultHistory.KILL, manager);
        }
      }
      case 1, 2 -> pause(manager, honest ? LONGEST_PAUSE : SHORT_PAUSE);
      case 3 -> {
        Duration step = Duration.ofMillis(chance.nextLong(WALL_STEP.toMillis()));
        // Forward only a little: timestamps never go back, and would stay in the future for the
        // run.
        manager.clock().stepWall(chance.oneIn(2) ? step.negated() : Duration.ofMillis(300));
        faults.done(FaultHistory.CLOCK, manager.name());
      }
      case 4 -> {
        if (server.isUp()) {
          if (chance.oneIn(2)) {
            server.disk().fail(chance.nanosUpTo(LONGEST_FAILING));
          } else {
            server.crash();
          }
          faults.killed(FaultHistory.KILL, server);
        }
      }
      case 5 -> pause(server, LONGEST_PAUSE);
      case 6 -> loseZooKeeper(server);
      case 7 -> {
        if (chance.oneIn(2)) {
          pause(server, SHORT_PAUSE);
        } else {
          slowDisk(server, chance.nanosUpTo(LONGEST_PAUSE));
        }
      }
      case 8, 9, 10, 11 -> cluster.master().move(cluster.master().anyRegion());
      case 12, 13 -> {
        if (client.isUp()) {
          client.crash();
          faults.killed(FaultHistory.CLIENT_KILL, client);
        }
      }
      case 14, 15 ->
          cluster.managers().stream()
              .filter(SimulatedManager::isLeading)
              .findFirst()
              .ifPresent(this::handOver);
      case 16, 17 -> cluster.master().split(cluster.master().anyRegion());
      case 18 -> cluster.master().merge(cluster.master().anyRegion());
      default -> pause(client, SHORT_PAUSE);
    }
  }

  /**
   * Cuts a server off for longer than its session lasts; it keeps running, and cannot detect that
   * others serve its regions.
   */
  private void loseZooKeeper(RegionServer server) {
    long nanos = RegionServer.ZooKeeperSession.TIMEOUT.toNanos() + chance.nanosUpTo(LONGEST_SLOW);
    server.say("CUT OFF FROM ZOOKEEPER nanos=" + nanos);
    cutOff(server, nanos);
  }

  private void cutOff(SimulatedMachine machine, long nanos) {
    cluster.coordination().cutOff(machine, world.nowNanos() + nanos);
    faults.lasting(FaultHistory.PARTITION, machine.name() + " zookeeper", nanos);
  }

  private void pause(SimulatedMachine machine, Duration longest) {
    long nanos = chance.nanosUpTo(longest);
    machine.pause(nanos);
    faults.lasting(FaultHistory.PAUSE, machine.name(), nanos);
  }

  private void slowDisk(RegionServer server, long nanos) {
    server.disk().slow(nanos);
    faults.lasting(FaultHistory.SLOW_DISK, server.name(), nanos);
  }

  /** Slows down a leading transaction manager; a paused or dead one is no rival. */
  private void slowDownPrimary() {
    cluster.managers().stream()
        .filter(SimulatedManager::isLeading)
        .findFirst()
        .ifPresent(this::slowDown);
  }

  private void handOver(SimulatedManager from) {
    faults.done(FaultHistory.HAND_OVER, from.name());
    cluster.managers().stream().filter(m -> m != from).findFirst().ifPresent(from::handOver);
  }

  /**
   * Slows the manager's clock and cuts it off: its lease outlasts the others' timeout and it sees
   * no takeover, so two managers act as primary.
   */
  private void slowDown(SimulatedManager manager) {
    double rate = SLOWEST + chance.nextDouble() / SLOWEST_DIVISOR;
    long nanos = SHORTEST_SLOW.toNanos() + chance.nanosUpTo(LONGEST_SLOW);
    if (rivals) {
      nanos += SHORTEST_SLOW.toNanos();
    }
    manager.say("CLOCK RUNS AT " + rate + " nanos=" + nanos);
    manager.clock().runAt(rate);
    faults.lasting(FaultHistory.CLOCK, manager.name(), nanos);
    cutOff(manager, nanos);
    SimulatedMachine outside = cluster.coordination().machine();
    outside.after(nanos, () -> manager.clock().runAt(1.0));
    lonely.add(new Lonely(manager, world.nowNanos() + nanos));
    // This one sees the new floor only in requests, and makes intents visible late.
    slowUntilNanos = world.nowNanos() + nanos;
    RegionServer deaf = chance.pick(cluster.master().servers());
    for (RegionServer server : cluster.master().servers()) {
      if (server == deaf || rivals) {
        cluster.coordination().deafen(server, slowUntilNanos);
      }
      if (server == deaf) {
        slowDisk(server, nanos);
      }
    }
  }

  /** Starts a rivalry if the former primary still acts as one. */
  @Override
  public void becamePrimary(String name, long epoch) {
    List<Lonely> met = lonely.stream().filter(l -> !l.manager().name().equals(name)).toList();
    lonely.removeAll(met);
    for (Lonely old : met) {
      long leftNanos = old.untilNanos() - world.nowNanos();
      if (!over && leftNanos > 0 && old.manager().isLeading()) {
        rivalry(leftNanos);
      }
    }
  }

  /**
   * Provokes the moments after a takeover for which the fences exist: some clients switch to the
   * new primary, some of those return to the old one; intents are not visible yet; regions move.
   */
  private void rivalry(long nanos) {
    if (rivals) {
      desert(nanos);
    }
    for (SimulatedClient client : rivals ? List.<SimulatedClient>of() : cluster.clients()) {
      if (chance.oneIn(2)) {
        client.after(chance.nanosUpTo(SHORT_LATENESS), client::disconnect);
      }
      if (chance.oneIn(2)) {
        client.after(chance.nextLong(nanos), client::disconnect);
      }
      if (chance.oneIn(2)) {
        client.slowLink(nanos / 2);
      }
    }
    // A server that opens a region reads the record: then requests bring no newer floor.
    if (cluster.parts().plan().focus() != Focus.SUPERSEDED || chance.oneIn(ONE_MOVES_IN)) {
      moveSome(nanos);
    }
  }

  /** Moves one client, or the onlookers, to the new primary, and slows the others down. */
  private void desert(long nanos) {
    if (cluster.parts().plan().focus() == Focus.SUPERSEDED) {
      for (SimulatedClient client : cluster.clients()) {
        if (client.isOnlooker()) {
          client.disconnect();
        } else {
          cutOff(client, nanos);
          cluster.coordination().deafen(client, world.nowNanos() + nanos);
          client.slowLink(nanos / 2);
        }
      }
      return;
    }
    SimulatedClient deserter = chance.pick(cluster.clients());
    deserter.after(chance.nextLong(nanos / 2 + 1), deserter::disconnect);
    for (SimulatedClient client : cluster.clients()) {
      if (client != deserter && !chance.oneIn(4)) {
        client.slowLink(nanos);
      }
    }
  }

  private void moveSome(long nanos) {
    for (int moves = chance.between(0, 2); moves > 0; moves--) {
      int region = cluster.master().anyRegion();
      cluster
          .coordination()
          .machine()
          .after(chance.nextLong(nanos / 2 + 1), () -> cluster.master().move(region));
    }
  }
}
