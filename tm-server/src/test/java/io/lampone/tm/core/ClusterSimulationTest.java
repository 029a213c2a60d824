package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Three nodes, one record and a hostile scheduler: nodes pause at any step, even between computing
 * an answer and checking the lease; die and are born again; wall clocks step by a week; writes of
 * the record fail, are applied without a reply, or are applied long after they were said to have
 * failed.
 */
final class ClusterSimulationTest {

  private static final int SEEDS = 150;
  private static final int STEPS = 4_000;
  private static final int NODES = 3;
  private static final Duration LEASE = Duration.ofSeconds(2);

  @Test
  void timestampsAreUniqueAndOrderedAndDecisionsStand() {
    long firstSeed = System.nanoTime();
    int answers = 0;
    long epochs = 0;
    for (int i = 0; i < SEEDS; i++) {
      Cluster cluster = new Cluster(firstSeed + i, 1.0);
      cluster.run();
      answers += cluster.history.answers();
      epochs += cluster.epochs;
    }
    assertThat(answers).as("firstSeed=%d", firstSeed).isGreaterThan(SEEDS * 20);
    assertThat(epochs).as("firstSeed=%d", firstSeed).isGreaterThan(SEEDS * 2);
  }

  /** Trap D2: real-time order is lost, which needs clocks; uniqueness and decisions are not. */
  @Test
  void aClockAtATenthOfItsRateRepeatsNoTimestampAndNoDecision() {
    long firstSeed = System.nanoTime();
    int zombieAnswers = 0;
    for (int i = 0; i < SEEDS; i++) {
      Cluster cluster = new Cluster(firstSeed + i, 0.1);
      cluster.run();
      zombieAnswers += cluster.zombieAnswers;
    }
    // Otherwise this test shows nothing that the other one does not.
    assertThat(zombieAnswers).as("firstSeed=%d", firstSeed).isPositive();
  }

  /** The clock of one node: true time, bent, and moving on whenever somebody looks. */
  private static final class BentClock implements Clock {

    private final Cluster cluster;
    private final double rate;
    private final long offsetNanos;
    private long wallStepMillis;

    BentClock(Cluster cluster, double rate) {
      this.cluster = cluster;
      this.rate = rate;
      this.offsetNanos = cluster.random.nextLong();
    }

    @Override
    public long wallMillis() {
      cluster.hesitate();
      long millis = (long) (cluster.trueNanos / 1e6 * rate);
      return ManualClock.START_MILLIS + millis + wallStepMillis;
    }

    @Override
    public long monotonicNanos() {
      cluster.hesitate();
      return offsetNanos + (long) (cluster.trueNanos * rate);
    }
  }

  private static final class Machine implements NodeListener {

    private final Cluster cluster;
    private final BentClock clock;
    private Deque<Runnable> tasks = new ArrayDeque<>();
    private ManagerNode node;
    private long pausedUntilNanos;
    private boolean gone;

    Machine(Cluster cluster, double rate) {
      this.cluster = cluster;
      this.clock = new BentClock(cluster, rate);
      this.node = boot();
    }

    /** A new process; what the old one was still to do is lost with it. */
    private ManagerNode boot() {
      gone = false;
      String name = "node" + cluster.names++;
      ManagerSettings settings =
          new ManagerSettings(
              name, name + ":1", LEASE, Duration.ofMillis(500), Duration.ofSeconds(4), 24, 16);
      Deque<Runnable> own = new ArrayDeque<>();
      tasks = own;
      return new ManagerNode(settings, cluster.store, clock, own::add, this);
    }

    @Override
    public void becamePrimary(long epoch) {
      cluster.epochs++;
      cluster.newestEpoch = Math.max(cluster.newestEpoch, epoch);
    }

    @Override
    public void retired(Retirement retirement) {
      assertThat(retirement).as(cluster.description).isNotEqualTo(Retirement.INVARIANT_VIOLATED);
      gone = true;
    }

    boolean isPaused() {
      return cluster.trueNanos < pausedUntilNanos;
    }
  }

  private static final class Cluster {

    private final String description;
    private final Random random;
    private final boolean clocksKeepTheirPromise;
    private final SimulatedStore store = new SimulatedStore();
    private final List<SimulatedStore.Operation<?>> ghosts = new ArrayList<>();
    private final List<Machine> machines = new ArrayList<>();
    private final ClusterHistory history;
    private final List<Validator.Request> open = new ArrayList<>();

    private long trueNanos;
    private int names;
    private long epochs;
    private long newestEpoch;
    private int zombieAnswers;

    Cluster(long seed, double slowestRate) {
      description = "seed=" + seed + " slowestRate=" + slowestRate;
      random = new Random(seed);
      clocksKeepTheirPromise = slowestRate == 1.0;
      history = new ClusterHistory(description);
      for (int i = 0; i < NODES; i++) {
        machines.add(new Machine(this, i == 0 ? slowestRate : 1.0));
      }
    }

    void run() {
      for (int i = 0; i < STEPS; i++) {
        step();
      }
    }

    /** Whoever looks at a clock may be stopped there. */
    void hesitate() {
      trueNanos += random.nextInt(2_000);
      if (random.nextInt(2_000) == 0) {
        trueNanos += Duration.ofMillis(random.nextInt(4_000)).toNanos();
      }
    }

    private void step() {
      trueNanos += Duration.ofMillis(random.nextInt(15)).toNanos();
      Machine machine = machines.get(random.nextInt(machines.size()));
      switch (random.nextInt(10)) {
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
        default -> accident(machine);
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

    private void accident(Machine machine) {
      switch (random.nextInt(60)) {
        case 0 -> machine.pausedUntilNanos = trueNanos + random.nextInt(4_000) * 1_000_000L;
        case 1 -> machine.clock.wallStepMillis -= Duration.ofDays(7).toMillis();
        case 2 -> machine.clock.wallStepMillis += Duration.ofDays(7).toMillis();
        case 3 -> machine.node = machine.boot();
        case 4 -> machine.node.release();
        default -> {
          if (machine.gone) {
            machine.node = machine.boot();
          }
        }
      }
    }

    private void ask(Machine machine) {
      long highestWhenAsked = clocksKeepTheirPromise ? history.highest() : 0;
      if (open.isEmpty() || random.nextInt(3) == 0) {
        List<WireRequest> batch = List.of(new WireRequest.Begin(1), new WireRequest.Begin(2));
        for (WireReply reply : send(machine, batch)) {
          if (reply instanceof WireReply.Begun begun) {
            long start = begun.begin().startTimestamp();
            history.told(start, highestWhenAsked);
            long[] hashes = {random.nextInt(16), random.nextInt(16)};
            open.add(new Validator.Request(start, true, hashes, hashes));
          }
        }
        return;
      }
      int index = random.nextInt(open.size());
      Validator.Request request = open.get(index);
      long start = request.startTimestamp();
      if (random.nextInt(5) == 0) {
        for (WireReply reply : send(machine, List.of(new WireRequest.Status(1, start)))) {
          checkStatus(start, reply);
        }
        return;
      }
      // One in three answers is lost: then the request is repeated, here or elsewhere.
      List<WireReply> replies = send(machine, List.of(new WireRequest.Validate(1, request)));
      open.set(index, request.repeated());
      if (random.nextInt(3) > 0) {
        for (WireReply reply : replies) {
          checkValidation(request, reply, highestWhenAsked);
        }
      }
      if (open.size() > 20) {
        open.remove(0);
      }
    }

    private void checkStatus(long start, WireReply reply) {
      if (history.isDecided(start) && reply instanceof WireReply.StatusIs answer) {
        // Finding M13: never "not requested" of what has been decided.
        assertThat(answer.status()).as(description).isNotInstanceOf(Status.NotRequested.class);
      }
    }

    private void checkValidation(
        Validator.Request request, WireReply reply, long highestWhenAsked) {
      if (reply instanceof WireReply.Validated validated) {
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
      long epoch = machine.node.leading().map(record -> record.epoch()).orElse(newestEpoch);
      if (epoch < newestEpoch) {
        zombieAnswers++;
        assertThat(clocksKeepTheirPromise)
            .as("no answer after the lease: epoch=%d %s", epoch, description)
            .isFalse();
      }
      lastFloor = machine.node.leading().map(record -> record.floor()).orElse(0L);
      return exchange.replies();
    }
  }
}
