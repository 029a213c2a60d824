package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.Hold;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.status.NodeStatus;
import io.lampone.tm.core.validation.BatchOutcome;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** What {@link ClusterSimulationTest} runs: nodes, the record, connections, clients, accidents. */
final class SimulatedCluster {

  private static final int STEPS = 4_000;
  private static final int NODES = 3;
  private static final int OPEN_TRANSACTIONS = 20;
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration HOLD_LIFETIME = Duration.ofSeconds(30);

  private final String description;
  private final Random random;
  private final boolean clocksKeepTheirPromise;
  private final int hashes;
  private final SimulatedStore store = new SimulatedStore();
  private final List<SimulatedStore.Operation<?>> ghosts = new ArrayList<>();
  private final List<Machine> machines = new ArrayList<>();
  private final List<Connection> connections = new ArrayList<>();
  private final ClusterHistory history;
  private final List<Validator.Request> open = new ArrayList<>();

  /** Holds that must be there, and the true time until which they must. */
  private final Map<String, Long> held = new HashMap<>();

  private long trueNanos;
  private int names;
  private long epochs;
  private long newestEpoch;
  private long newestFloor;
  private long inherited;
  private long unsealings;
  private int zombieAnswers;

  /** A connection, and the processes at its ends. */
  private record Connection(
      SimulatedLink link, Machine giver, ManagerNode givingNode, Machine heir, ManagerNode node) {}

  SimulatedCluster(long seed, double slowestRate) {
    description = "seed=" + seed + " slowestRate=" + slowestRate;
    random = new Random(seed);
    clocksKeepTheirPromise = slowestRate == 1.0;
    hashes = 4 + random.nextInt(40);
    history = new ClusterHistory(description);
    for (int i = 0; i < NODES; i++) {
      machines.add(new Machine(i == 0 ? slowestRate : 1.0));
    }
  }

  ClusterHistory history() {
    return history;
  }

  long epochs() {
    return epochs;
  }

  long inherited() {
    return inherited;
  }

  long unsealings() {
    return unsealings;
  }

  int zombieAnswers() {
    return zombieAnswers;
  }

  void run() {
    for (int i = 0; i < STEPS; i++) {
      step();
    }
  }

  /** The clock of one node: true time, bent, and moving on whenever somebody looks. */
  private final class BentClock implements Clock {

    private final double rate;
    private final long offsetNanos = random.nextLong();
    private long wallStepMillis;

    BentClock(double rate) {
      this.rate = rate;
    }

    @Override
    public long wallMillis() {
      hesitate();
      long millis = (long) (trueNanos / 1e6 * rate);
      return ManualClock.START_MILLIS + millis + wallStepMillis;
    }

    @Override
    public long monotonicNanos() {
      hesitate();
      return offsetNanos + (long) (trueNanos * rate);
    }
  }

  private final class Machine implements NodeListener {

    private final BentClock clock;
    private Deque<Runnable> tasks = new ArrayDeque<>();
    private ManagerNode node;
    private long pausedUntilNanos;
    private boolean gone;
    private boolean sealed;

    Machine(double rate) {
      this.clock = new BentClock(rate);
      this.node = boot();
    }

    /** A new process; what the old one was still to do is lost with it. */
    private ManagerNode boot() {
      gone = false;
      sealed = false;
      String name = "node" + names++;
      ManagerSettings settings =
          new ManagerSettings(
              name,
              name + ":1",
              LEASE,
              Duration.ofMillis(500),
              Duration.ofSeconds(4),
              2 + random.nextInt(24),
              2 + random.nextInt(16),
              1 + random.nextInt(4),
              Retention.DEFAULT,
              Proofs.OPEN);
      Deque<Runnable> own = new ArrayDeque<>();
      tasks = own;
      return new ManagerNode(settings, store, clock, own::add, this);
    }

    @Override
    public void becamePrimary(long epoch) {
      epochs++;
      ManagerRecord record = node.status().record().orElseThrow();
      if (record.succession().isPresent()) {
        inherited++;
        if (epoch > newestEpoch) {
          // A planned hand-over aborts nobody.
          assertThat(record.floor()).as(description).isEqualTo(newestFloor);
        }
      } else {
        held.clear();
      }
      if (epoch > newestEpoch) {
        newestEpoch = epoch;
        newestFloor = record.floor();
      }
      // What would tell an earlier primary is no longer there.
      if (clocksKeepTheirPromise && random.nextInt(4) == 0) {
        store.garble();
      }
    }

    @Override
    public void sealed() {
      assertThat(sealed).as(description).isFalse();
      sealed = true;
      // Either before the record names the successor, or behind it.
      if (clocksKeepTheirPromise && random.nextInt(8) == 0) {
        store.garble();
      }
    }

    @Override
    public void unsealed() {
      assertThat(sealed).as(description).isTrue();
      sealed = false;
      unsealings++;
    }

    @Override
    public void handedOver(String address) {
      assertThat(sealed).as(description).isTrue();
    }

    @Override
    public void retired(Retirement retirement) {
      assertThat(retirement).as(description).isNotEqualTo(Retirement.INVARIANT_VIOLATED);
      gone = true;
    }

    boolean isPaused() {
      return trueNanos < pausedUntilNanos;
    }
  }

  /** Whoever looks at a clock may be stopped there. */
  private void hesitate() {
    trueNanos += random.nextInt(2_000);
    if (random.nextInt(2_000) == 0) {
      trueNanos += Duration.ofMillis(random.nextInt(4_000)).toNanos();
    }
  }

  private void step() {
    trueNanos += Duration.ofMillis(random.nextInt(15)).toNanos();
    Machine machine = machines.get(random.nextInt(machines.size()));
    switch (random.nextInt(14)) {
      case 0, 1, 2 -> storeStep();
      case 3, 4 -> {
        if (!machine.isPaused()) {
          machine.node.tick();
        }
      }
      case 5, 6 -> {
        if (!machine.isPaused() && !machine.tasks.isEmpty()) {
          machine.tasks.poll().run();
        }
      }
      case 7, 8 -> {
        if (!machine.isPaused()) {
          ask(machine);
        }
      }
      case 9 -> accident(machine);
      default -> networkStep();
    }
  }

  private void storeStep() {
    if (!ghosts.isEmpty() && random.nextInt(4) == 0) {
      ghosts.remove(random.nextInt(ghosts.size())).happenLate();
    }
    if (store.underWay().isEmpty()) {
      return;
    }
    var operation = store.underWay().remove(random.nextInt(store.underWay().size()));
    switch (random.nextInt(20)) {
      case 0 -> operation.loseReply();
      case 1 -> operation.failOnly();
      case 2 -> {
        operation.failOnly();
        ghosts.add(operation);
      }
      default -> operation.succeed();
    }
  }

  private void networkStep() {
    connections.removeIf(connection -> connection.link().isOver());
    if (connections.isEmpty()) {
      return;
    }
    Connection connection = connections.get(random.nextInt(connections.size()));
    if (connection.heir().node != connection.node()
        || connection.giver().node != connection.givingNode()
        || random.nextInt(200) == 0) {
      connection.link().breakOff();
    }
    for (int i = random.nextInt(10); i > 0; i--) {
      if (random.nextBoolean()) {
        if (!connection.heir().isPaused() && connection.link().hasForHeir()) {
          connection.link().deliverToHeir();
        }
      } else if (!connection.giver().isPaused()
          && connection.giver().node == connection.givingNode()) {
        connection.link().deliverToGiver();
      }
    }
  }

  private void accident(Machine machine) {
    switch (random.nextInt(60)) {
      case 0 -> machine.pausedUntilNanos = trueNanos + random.nextInt(4_000) * 1_000_000L;
      case 1 -> machine.clock.wallStepMillis -= Duration.ofDays(7).toMillis();
      case 2 -> machine.clock.wallStepMillis += Duration.ofDays(7).toMillis();
      case 3 -> machine.node = machine.boot();
      case 4 -> machine.node.release();
      case 5 -> {
        if (random.nextInt(3) == 0) {
          machine.node.drain();
        }
      }
      case 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 -> handOver(machine);
      case 20, 21, 22, 23, 24, 25 -> hold(machine);
      case 26 -> {
        if (clocksKeepTheirPromise && newestEpoch > 0) {
          store.repair();
        }
      }
      default -> {
        if (machine.gone) {
          machine.node = machine.boot();
        }
      }
    }
  }

  private void handOver(Machine machine) {
    Machine heir = machines.get(random.nextInt(machines.size()));
    ManagerNode giving = machine.node;
    NodeStatus status = heir.node.status();
    var unused =
        giving.handOver(
            status.holder(),
            status.address(),
            (address, listener) -> {
              SimulatedLink link = new SimulatedLink(listener, heir.node);
              connections.add(new Connection(link, machine, giving, heir, heir.node));
              return link;
            });
  }

  private void hold(Machine machine) {
    if (machine.isPaused() || machine.node.leading().isEmpty()) {
      return;
    }
    String name = "hold" + random.nextInt(8);
    try {
      if (random.nextInt(4) == 0) {
        machine.node.holds().onTable(table -> table.release("test", name));
        held.remove(name);
        return;
      }
      machine
          .node
          .holds()
          .onTable(
              table -> {
                table.release("test", name);
                table.hold("test", name, names, HOLD_LIFETIME);
                return name;
              });
      held.put(name, trueNanos + HOLD_LIFETIME.minusSeconds(5).toNanos());
    } catch (IllegalStateException e) {
      // It may have been released without our being told.
      held.remove(name);
    }
  }

  private void checkHolds(Machine machine) {
    held.values().removeIf(until -> until < trueNanos);
    try {
      List<String> there =
          machine.node.holds().onTable(table -> table.list().stream().map(Hold::name).toList());
      held.values().removeIf(until -> until < trueNanos);
      assertThat(there).as(description).containsAll(held.keySet());
    } catch (IllegalStateException e) {
      // No longer the primary.
    }
  }

  private void ask(Machine machine) {
    long highestWhenAsked = clocksKeepTheirPromise ? history.highest() : 0;
    if (open.isEmpty() || random.nextInt(3) == 0) {
      List<WireRequest> batch = List.of(new WireRequest.Begin(1), new WireRequest.Begin(2));
      for (WireReply reply : send(machine, batch)) {
        if (reply instanceof WireReply.Begun begun) {
          long start = begun.begin().startTimestamp();
          checkBound(start);
          history.told(start, highestWhenAsked);
          long[] written = {random.nextInt(hashes), random.nextInt(hashes)};
          open.add(
              new Validator.Request(start, Proofs.OPEN.grant(start, 0), true, written, written));
        }
      }
      return;
    }
    int index = random.nextInt(open.size());
    Validator.Request request = open.get(index);
    long start = request.startTimestamp();
    if (random.nextInt(5) == 0) {
      // A reader who has begun, at whatever node, meets the intents of this transaction.
      long snapshot = history.highest();
      WireRequest.Status asked = new WireRequest.Status(1, start, snapshot);
      for (WireReply reply : send(machine, List.of(asked))) {
        checkStatus(start, snapshot, reply);
      }
      return;
    }
    // Answered or lost on its way, a decision is one; clients repeat what they have no answer to,
    // here or elsewhere.
    for (WireReply reply : send(machine, List.of(new WireRequest.Validate(1, request)))) {
      checkValidation(request, reply, highestWhenAsked);
    }
    open.set(index, request.repeated());
    if (open.size() > OPEN_TRANSACTIONS) {
      open.remove(random.nextInt(open.size()));
    }
  }

  /** Finding R10, and the first invariant: the bound is durable before a timestamp leaves. */
  private void checkBound(long timestamp) {
    assertThat(timestamp)
        .as("below the bound in the record: %s", description)
        .isLessThan(store.record().bound());
  }

  /** Findings M13 and M14. */
  private void checkStatus(long start, long snapshot, WireReply reply) {
    if (reply instanceof WireReply.StatusIs answer
        && answer.status() instanceof Status.NotRequested) {
      history.notRequested(start, snapshot);
    }
  }

  private void checkValidation(Validator.Request request, WireReply reply, long highestWhenAsked) {
    if (reply instanceof WireReply.Validated validated) {
      if (validated.validation() instanceof Validation.Passed passed) {
        checkBound(passed.commitTimestamp());
      }
      long floor = history.isDecided(request.startTimestamp()) ? 0 : lastFloor;
      history.decided(request, validated.validation(), floor, highestWhenAsked);
    }
  }

  /** The floor of the epoch that answered last. */
  private long lastFloor;

  private List<WireReply> send(Machine machine, List<WireRequest> batch) {
    Exchange exchange = Exchange.with(machine.node::handle, batch);
    if (exchange.outcome() instanceof BatchOutcome.Suspicious) {
      machine.node.verifyEpoch();
      return List.of();
    }
    if (!(exchange.outcome() instanceof BatchOutcome.Answered)) {
      return List.of();
    }
    assertThat(machine.sealed).as("no answer once sealed: %s", description).isFalse();
    long epoch = machine.node.leading().map(record -> record.epoch()).orElse(newestEpoch);
    if (epoch < newestEpoch) {
      zombieAnswers++;
      assertThat(clocksKeepTheirPromise)
          .as("no answer after the lease: epoch=%d %s", epoch, description)
          .isFalse();
    } else if (clocksKeepTheirPromise) {
      checkHolds(machine);
    }
    lastFloor = machine.node.leading().map(record -> record.floor()).orElse(0L);
    return exchange.replies();
  }
}
