package io.lampone.faultlab.fault;

import io.lampone.cluster.ClusterMember;
import io.lampone.cluster.LocalCluster.Signal;
import io.lampone.cluster.MemberRole;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;

/** Turns planned faults into faults that can be injected. */
final class FaultWorks implements AutoCloseable {

  /** Target of the fault if the primary is unknown. */
  private static final String ANY_MANAGER = "tm1";

  private static final Duration RESTART_GRACE = Duration.ofSeconds(20);

  /** Until the next one is restarted. */
  private static final Duration RESTART_PAUSE = Duration.ofSeconds(4);

  private final Machines machines;
  private final Optional<NamespaceNetwork> network;
  private final Regions regions;
  private final PrimaryLocator primary;
  private final ValidatorFaults validators;
  private final Clients clients;
  private final Optional<FaultedServers> spoilt;
  private final String quorum;

  /** Written before the faults of a round begin, whose threads read it. */
  private volatile boolean alone;

  private final List<HostileClient> hostile = new CopyOnWriteArrayList<>();

  FaultWorks(Supervisor.Victims victims, Regions regions, PrimaryLocator primary, Clock clock) {
    this.machines = victims.machines();
    this.network = victims.network();
    this.clients = victims.clients();
    this.spoilt = victims.libcFaults().map(present -> new FaultedServers(machines, present, clock));
    this.quorum = victims.quorum();
    this.regions = regions;
    this.primary = primary;
    this.validators = new ValidatorFaults(machines, primary, clock);
  }

  /** From now on there is one kind of fault only, or not. */
  void alone(boolean oneKind) {
    alone = oneKind;
  }

  /** From now on these tables' regions are meant. */
  void use(List<TableName> tables) {
    regions.use(tables);
  }

  /** Waits for what hostile clients leave behind; returns the breaches found meanwhile. */
  List<String> awaitHostile() throws InterruptedException {
    List<String> breaches = new ArrayList<>();
    for (HostileClient client : hostile) {
      client.awaitForger().ifPresent(breaches::add);
    }
    return breaches;
  }

  /** Returns the name of the primary, if known now. */
  Optional<String> primary() throws InterruptedException {
    return primary.name(machines);
  }

  ValidatorFaults validators() {
    return validators;
  }

  /** Flushes and compacts one of the tables. */
  void collect(int choice) throws IOException {
    regions.collect(choice);
  }

  Fault make(PlannedFault planned) throws InterruptedException {
    String target = target(planned);
    int choice = planned.choice();
    return switch (planned.kind()) {
      case KILL ->
          Fault.of(target, () -> machines.kill(target), () -> machines.ensureRunning(target));
      case KILL_TWO -> killTwo(target, choice);
      case PAUSE ->
          Fault.of(
              target,
              () -> machines.signal(target, Signal.STOP),
              () -> machines.ensureRunning(target));
      case PARTITION -> partition(target, choice, true, true);
      case ONE_WAY -> partition(target, choice, choice % 2 == 0, choice % 2 != 0);
      case ROLLING -> {
        MemberRole role = choice % 2 == 0 ? MemberRole.MANAGER : MemberRole.REGION_SERVER;
        yield Fault.once(InjectedFault.ALL + role.prefix(), () -> roll(role));
      }
      case CLOCK -> spoilt().clock(target, choice);
      case SLOW_DISK -> spoilt().slowDisk(target, choice);
      case FULL_DISK -> spoilt().fullDisk(target, choice);
      case POWER_CUT -> spoilt().powerCut(target, choice);
      case VALIDATOR_KILL -> validators.kill(target);
      case VALIDATOR_PAUSE -> validators.pause(target);
      case BUCKET_MOVE -> Fault.once("", () -> validators.moveBuckets(choice));
      case HAND_OVER -> Fault.once(target, primary::handOver);
      case MOVE -> Fault.once("", () -> regions.move(choice));
      case SPLIT -> Fault.once("", () -> regions.split(choice));
      case MERGE -> Fault.once("", () -> regions.merge(choice));
      case FLUSH -> Fault.once("", regions::flush);
      case COMPACT -> Fault.once("", regions::compact);
      case CLIENT_KILL -> {
        int index = choice % clients.count();
        yield Fault.once(clients.host(index), () -> clients.replace(index));
      }
      case CLIENT_PAUSE -> {
        int index = choice % clients.count();
        yield Fault.of(
            clients.host(index),
            () -> clients.pause(index, true),
            () -> clients.pause(index, false));
      }
      case HOSTILE -> {
        HostileClient client = regions.hostile(quorum, choice, alone);
        hostile.add(client);
        yield Fault.of("", client::start, client::stop);
      }
    };
  }

  /** Kills the target and one of the other servers, of any role that has two. */
  private Fault killTwo(String target, int choice) throws InterruptedException {
    Map<MemberRole, List<String>> byRole = new TreeMap<>();
    for (ClusterMember member : machines.members()) {
      byRole.computeIfAbsent(member.role(), role -> new ArrayList<>()).add(member.name());
    }
    List<String> others = new ArrayList<>();
    byRole.values().stream().filter(names -> names.size() > 1).forEach(others::addAll);
    others.remove(target);
    if (others.isEmpty()) {
      throw new IllegalStateException("there are no two servers of a role that may die");
    }
    String other = others.get(choice % others.size());
    return Fault.holding(
        target + "+" + other,
        List.of(target, other),
        () -> {
          try {
            machines.kill(target);
          } finally {
            machines.kill(other);
          }
        },
        () -> {
          machines.ensureRunning(target);
          machines.ensureRunning(other);
        });
  }

  private String target(PlannedFault planned) throws InterruptedException {
    return planned.target().equals(Schedule.PRIMARY)
        ? primary.name(machines).orElse(ANY_MANAGER)
        : planned.target();
  }

  /** One after the other, as an operator would: managers, or region servers. */
  private void roll(MemberRole role) throws InterruptedException {
    for (ClusterMember member : machines.members()) {
      if (member.role() == role) {
        machines.restart(member.name(), RESTART_GRACE);
        TimeUnit.NANOSECONDS.sleep(RESTART_PAUSE.toNanos());
      }
    }
  }

  private FaultedServers spoilt() {
    return spoilt.orElseThrow(
        () -> new IllegalStateException("servers run without the library that spoils them"));
  }

  /** A manager may also be cut off from validators only: it replaces them, and clients do not. */
  private List<String> groups(String target) {
    List<String> groups = new ArrayList<>(List.of("", "", "zk", "rs", "tm", "client"));
    String validator = MemberRole.VALIDATOR.prefix();
    if (target.startsWith(MemberRole.MANAGER.prefix())
        && network.map(present -> present.hosts().contains(validator + 1)).orElse(false)) {
      groups.add(validator);
    }
    return groups;
  }

  /**
   * Partitions the target from all others, or from all of one role. Without separate networks there
   * is nothing to cut; the lab reports that before it begins.
   */
  private Fault partition(String target, int choice, boolean outgoing, boolean incoming) {
    List<String> groups = groups(target);
    String group = groups.get(choice / 2 % groups.size());
    List<String> others = new ArrayList<>();
    NamespaceNetwork present =
        network.orElseThrow(() -> new IllegalStateException("hosts share one network"));
    for (String host : new TreeSet<>(present.hosts())) {
      if (!host.equals(target) && host.startsWith(group)) {
        others.add(host);
      }
    }
    String what = outgoing && incoming ? "|" : outgoing ? ">" : "<";
    return Fault.of(
        target + what + (group.isEmpty() ? "all" : group),
        () -> {
          if (others.isEmpty()) {
            throw new FaultNotAppliedException("there is no other process to cut it off from");
          }
          for (String other : others) {
            if (outgoing) {
              present.cut(target, other);
            }
            if (incoming) {
              present.cut(other, target);
            }
          }
        },
        present::heal);
  }

  @Override
  public void close() throws IOException {
    regions.close();
    primary.close();
  }
}
