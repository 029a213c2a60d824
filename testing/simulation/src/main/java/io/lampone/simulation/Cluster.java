package io.lampone.simulation;

import java.util.ArrayList;
import java.util.List;

/** Everything that runs in one simulated world. */
final class Cluster {

  private static final int MANAGERS = 2;
  private static final int SERVERS = 3;
  private static final double SLOWEST_HONEST = 0.97;
  private static final double HONEST_SPREAD = 0.06;

  private final World world;
  private final Parts parts;
  private final Network network;
  private final Watchers watchers = new Watchers();
  private final Commits commits = new Commits();
  private final NothingMissed latest;
  private final Coordination coordination;
  private final Recorder recorder;
  private final FaultLog faults;
  private final List<ManagerProcess> managers = new ArrayList<>();
  private final Master master;
  private final List<ClientProcess> clients = new ArrayList<>();

  Cluster(World world, Parts parts) {
    this.world = world;
    this.parts = parts;
    Plan plan = parts.plan();
    this.network = new Network(world, plan);
    this.coordination = new Coordination(world, network, watchers);
    this.recorder = new Recorder(world);
    this.latest = new NothingMissed(world, commits, plan.honestClocks());
    this.faults = new FaultLog(world);
    addInvariants(plan);
    for (int i = 0; i < MANAGERS; i++) {
      ManagerProcess manager = new ManagerProcess("tm" + i, network, coordination, parts, watchers);
      manager.clock().runAt(rate());
      managers.add(manager);
    }
    List<RegionServer> servers = new ArrayList<>();
    for (int i = 0; i < SERVERS; i++) {
      RegionServer server =
          new RegionServer(world, "rs" + i, network, coordination, managers, parts, watchers);
      server.clock().runAt(rate());
      servers.add(server);
    }
    this.master = new Master(world, servers, watchers, faults);
    servers.forEach(each -> each.healBy(() -> new RegionCalls(each, network, master)));
    for (int i = 0; i < plan.clients(); i++) {
      ClientProcess client = new ClientProcess("c" + i, this, plan.transactions());
      client.clock().runAt(rate());
      clients.add(client);
      client.start();
    }
  }

  private double rate() {
    return SLOWEST_HONEST + world.chance().nextDouble() * HONEST_SPREAD;
  }

  private void addInvariants(Plan plan) {
    watchers.add(commits);
    watchers.add(latest);
    new NoLostUpdate(world, commits);
    watchers.add(new StableSnapshots(world, commits));
    watchers.add(new OneState(world, commits));
    watchers.add(new AcknowledgedIsReadable(world, commits));
    watchers.add(new AbortedStaysAborted(world, commits));
    watchers.add(new JudgmentsAreTrue(world, commits));
    watchers.add(new AppliedOnce(world));
    watchers.add(new DecidedOnce(world, coordination));
    watchers.add(new CollectionKeepsReadable(world, commits));
    watchers.add(new NoIntentStuck(world));
    watchers.add(new ClockNotBehind(world));
    watchers.add(new ClockNotAhead(world));
    if (plan.honestClocks()) {
      // Before the timestamps: an answer that comes too late is mostly out of order, too.
      watchers.add(new OneAnsweringPrimary(world));
      watchers.add(new HoldsLast(world));
    }
    watchers.add(new UniqueTimestamps(world, coordination, plan.honestClocks()));
  }

  World world() {
    return world;
  }

  Parts parts() {
    return parts;
  }

  Network network() {
    return network;
  }

  Watchers watchers() {
    return watchers;
  }

  Coordination coordination() {
    return coordination;
  }

  Commits commits() {
    return commits;
  }

  NothingMissed latest() {
    return latest;
  }

  Recorder recorder() {
    return recorder;
  }

  FaultLog faults() {
    return faults;
  }

  List<ManagerProcess> managers() {
    return managers;
  }

  Master master() {
    return master;
  }

  List<ClientProcess> clients() {
    return clients;
  }
}
