package io.lampone.simulation;

import io.lampone.simulation.client.HistoryRecorder;
import io.lampone.simulation.client.SimulatedClient;
import io.lampone.simulation.hbase.Master;
import io.lampone.simulation.hbase.RegionCalls;
import io.lampone.simulation.hbase.RegionServer;
import io.lampone.simulation.invariant.AbortedStaysAborted;
import io.lampone.simulation.invariant.AcknowledgedIsReadable;
import io.lampone.simulation.invariant.AppliedOnce;
import io.lampone.simulation.invariant.BornAsIntended;
import io.lampone.simulation.invariant.ClockNotAhead;
import io.lampone.simulation.invariant.ClockNotBehind;
import io.lampone.simulation.invariant.CollectionKeepsReadable;
import io.lampone.simulation.invariant.Commits;
import io.lampone.simulation.invariant.DecidedOnce;
import io.lampone.simulation.invariant.HoldsLast;
import io.lampone.simulation.invariant.InvariantChecker;
import io.lampone.simulation.invariant.JudgmentsAreTrue;
import io.lampone.simulation.invariant.NoConflictingOverlap;
import io.lampone.simulation.invariant.NoIntentStuck;
import io.lampone.simulation.invariant.NoLostUpdate;
import io.lampone.simulation.invariant.NothingMissed;
import io.lampone.simulation.invariant.OneAnsweringPrimary;
import io.lampone.simulation.invariant.OneState;
import io.lampone.simulation.invariant.OnlyItsOwnerCommits;
import io.lampone.simulation.invariant.ReadsStandAtCommit;
import io.lampone.simulation.invariant.RoomForOthers;
import io.lampone.simulation.invariant.StableSnapshots;
import io.lampone.simulation.invariant.UniqueTimestamps;
import io.lampone.simulation.manager.SimulatedManager;
import io.lampone.simulation.manager.SimulatedValidators;
import io.lampone.simulation.manager.TimestampsKeepTime;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Coordination;
import io.lampone.simulation.world.FaultHistory;
import io.lampone.simulation.world.Plan;
import io.lampone.simulation.world.SimulatedNetwork;
import io.lampone.simulation.world.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** All machines and parts of one simulated world. */
public final class Cluster {

  private static final int MANAGERS = 2;
  private static final int SERVERS = 3;
  private static final double SLOWEST_HONEST = 0.97;
  private static final double HONEST_SPREAD = 0.06;

  private final World world;
  private final Parts parts;
  private final SimulatedNetwork network;
  private final InvariantChecker invariantChecker = new InvariantChecker();
  private final Commits commits = new Commits();
  private final NothingMissed latest;
  private final Coordination coordination;
  private final HistoryRecorder recorder;
  private final FaultHistory faults;
  private final List<SimulatedManager> managers = new ArrayList<>();
  private final SimulatedValidators validators = new SimulatedValidators();
  private final Master master;
  private final List<SimulatedClient> clients = new ArrayList<>();

  public Cluster(World world, Parts parts) {
    this.world = world;
    this.parts = parts;
    Plan plan = parts.plan();
    this.network = new SimulatedNetwork(world, plan);
    this.coordination = new Coordination(world, network, invariantChecker);
    this.recorder = new HistoryRecorder(world);
    this.latest = new NothingMissed(world, commits, plan.honestClocks());
    this.faults = new FaultHistory(world);
    addInvariants(plan);
    for (int i = 0; i < MANAGERS; i++) {
      SimulatedManager manager =
          new SimulatedManager(
              "tm" + i, network, coordination, parts, invariantChecker, validators, false);
      manager.clock().runAt(rate());
      managers.add(manager);
    }
    for (int i = 0; i < plan.validators(); i++) {
      validators.add(
          new SimulatedManager(
              "v" + i, network, coordination, parts, invariantChecker, validators, true));
    }
    List<RegionServer> servers = new ArrayList<>();
    for (int i = 0; i < SERVERS; i++) {
      RegionServer server =
          new RegionServer(
              world, "rs" + i, network, coordination, managers, parts, invariantChecker);
      server.clock().runAt(rate());
      servers.add(server);
    }
    this.master = new Master(world, servers, invariantChecker, faults);
    servers.forEach(each -> each.healBy(() -> new RegionCalls(each, network, master)));
    for (int i = 0; i < plan.clients(); i++) {
      SimulatedClient client = new SimulatedClient("c" + i, this, plan.transactions());
      client.clock().runAt(rate());
      clients.add(client);
      client.start();
    }
  }

  private double rate() {
    return SLOWEST_HONEST + world.chance().nextDouble() * HONEST_SPREAD;
  }

  private void addInvariants(Plan plan) {
    invariantChecker.add(commits);
    invariantChecker.add(new BornAsIntended(world, commits));
    invariantChecker.add(latest);
    invariantChecker.add(new ReadsStandAtCommit(world, commits));
    invariantChecker.add(new NoConflictingOverlap(world, commits));
    new NoLostUpdate(world, commits, plan.level());
    invariantChecker.add(new OnlyItsOwnerCommits(world, commits));
    invariantChecker.add(new StableSnapshots(world, commits));
    invariantChecker.add(new OneState(world, commits));
    invariantChecker.add(new AcknowledgedIsReadable(world, commits));
    invariantChecker.add(new AbortedStaysAborted(world, commits));
    invariantChecker.add(new JudgmentsAreTrue(world, commits));
    invariantChecker.add(new AppliedOnce(world));
    invariantChecker.add(new DecidedOnce(world, coordination));
    invariantChecker.add(new CollectionKeepsReadable(world, commits));
    invariantChecker.add(new NoIntentStuck(world));
    invariantChecker.add(new ClockNotBehind(world));
    invariantChecker.add(new ClockNotAhead(world));
    if (plan.honestClocks()) {
      // Before the timestamps: an answer that is too late is mostly out of order, too.
      invariantChecker.add(new OneAnsweringPrimary(world));
      invariantChecker.add(new HoldsLast(world));
      invariantChecker.add(new RoomForOthers(world));
      invariantChecker.add(new TimestampsKeepTime(world, coordination));
    }
    invariantChecker.add(new UniqueTimestamps(world, coordination, plan.honestClocks()));
  }

  /** Runs {@code action} again and again at random intervals, of {@code every} on average. */
  public void repeat(Duration every, BooleanSupplier over, Runnable action) {
    coordination
        .machine()
        .after(
            world.chance().nanosUpTo(every.multipliedBy(2)),
            () -> {
              if (!over.getAsBoolean()) {
                action.run();
                repeat(every, over, action);
              }
            });
  }

  public World world() {
    return world;
  }

  public Parts parts() {
    return parts;
  }

  public SimulatedNetwork network() {
    return network;
  }

  public InvariantChecker invariantChecker() {
    return invariantChecker;
  }

  public Coordination coordination() {
    return coordination;
  }

  public Commits commits() {
    return commits;
  }

  public NothingMissed latest() {
    return latest;
  }

  public HistoryRecorder recorder() {
    return recorder;
  }

  public FaultHistory faults() {
    return faults;
  }

  public List<SimulatedManager> managers() {
    return managers;
  }

  public SimulatedValidators validators() {
    return validators;
  }

  public Master master() {
    return master;
  }

  public List<SimulatedClient> clients() {
    return clients;
  }
}
