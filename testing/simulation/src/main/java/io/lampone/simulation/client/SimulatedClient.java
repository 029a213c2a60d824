package io.lampone.simulation.client;

import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.Session;
import io.lampone.client.core.TransactionMode;
import io.lampone.client.core.progress.ProgressReporter;
import io.lampone.client.core.vote.Reserver;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.simulation.Cluster;
import io.lampone.simulation.hbase.Master;
import io.lampone.simulation.hbase.RegionCalls;
import io.lampone.simulation.invariant.InvariantChecker;
import io.lampone.simulation.invariant.NothingMissed;
import io.lampone.simulation.manager.ManagerPort;
import io.lampone.simulation.manager.SimulatedManager;
import io.lampone.simulation.manager.SimulatedValidators;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Coordination;
import io.lampone.simulation.world.Focus;
import io.lampone.simulation.world.Plan;
import io.lampone.simulation.world.Schema;
import io.lampone.simulation.world.SimulatedMachine;
import io.lampone.simulation.world.SimulatedNetwork;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** A client that runs one transaction or operation after the other, until it has done its share. */
public final class SimulatedClient extends SimulatedMachine {

  private static final Duration REBIRTH = Duration.ofMillis(40);

  /** Number of onlookers, in runs where transactions of the old epoch are to be met. */
  private static final int ONLOOKERS = 2;

  private static final int LOOKS_EACH = 5;
  private static final int ONE_FAST_IN = 3;

  /** A transaction of the old time is to be met, and an operation of the fast path is none. */
  private static final int ONE_FAST_BESIDE_ONLOOKERS_IN = 9;

  private final SimulatedNetwork network;
  private final Coordination coordination;
  private final List<SimulatedManager> managers;
  private final SimulatedValidators validators;
  private final Master master;
  private final Parts parts;
  private final InvariantChecker invariantChecker;
  private final NothingMissed latest;
  private final HistoryRecorder recorder;
  private int left;
  private SimulatedClientParts core;
  private ManagerPort port;
  private int process;

  /** True if it only reads one row, again and again, and so meets the intents of others. */
  private final boolean onlooker;

  /** The row that an onlooker reads: servers of other rows do not receive its floor. */
  private final Bytes lookedAt;

  /** Writes down the operation under way, as one of unknown end. */
  private Runnable lastWords = () -> {};

  public SimulatedClient(String name, Cluster cluster, int transactions) {
    super(cluster.world(), name);
    this.network = cluster.network();
    this.coordination = cluster.coordination();
    this.managers = cluster.managers();
    this.validators = cluster.validators();
    this.master = cluster.master();
    this.parts = cluster.parts();
    this.invariantChecker = cluster.invariantChecker();
    this.latest = cluster.latest();
    this.recorder = cluster.recorder();
    this.onlooker =
        parts.plan().focus() == Focus.SUPERSEDED && cluster.clients().size() < ONLOOKERS;
    this.lookedAt = world().chance().pick(Schema.rows(parts.plan().rows()));
    this.left = onlooker ? transactions * LOOKS_EACH : transactions;
    this.process = recorder.newSession();
    this.port = connect();
    this.core = make();
  }

  private ManagerPort connect() {
    return new ManagerPort(this, network, coordination, managers, validators, parts);
  }

  private SimulatedClientParts make() {
    TransactionManager manager =
        plan().focus() == Focus.SUPERSEDED ? new SlowClient(port, this, coordination) : port;
    return SimulatedClientParts.make(
        this, manager, new RegionCalls(this, network, master), parts, invariantChecker);
  }

  /** Loses its connection to the transaction manager. */
  public void disconnect() {
    port.disconnect();
  }

  /** Sends a request to the primary of the record, if any, without following its outcome. */
  void askPrimary(Consumer<SimulatedManager> request) {
    managers.stream()
        .filter(m -> coordination.record().filter(r -> m.address().equals(r.address())).isPresent())
        .findFirst()
        .ifPresent(primary -> network.send(primary, () -> request.accept(primary)));
  }

  SimulatedClientParts core() {
    return core;
  }

  InvariantChecker invariantChecker() {
    return invariantChecker;
  }

  /** Judges reads of the latest state. */
  NothingMissed latest() {
    return latest;
  }

  HistoryRecorder recorder() {
    return recorder;
  }

  Plan plan() {
    return parts.plan();
  }

  int process() {
    return process;
  }

  /** Continues as another process after an unknown outcome. */
  void becomeAnother() {
    process = recorder.sibling(process);
  }

  /** Sets the record to write if the client dies before the end of its current operation. */
  void onDeath(Runnable words) {
    lastWords = words;
  }

  public boolean isOnlooker() {
    return onlooker;
  }

  Bytes lookedAt() {
    return lookedAt;
  }

  public boolean isDone() {
    return left == 0;
  }

  public void start() {
    if (plan().session() > 0) {
      report(core.progress());
    }
    if (plan().early()) {
      reserve(core.services().reserver());
    }
    after(world().chance().nanosUpTo(plan().pace().multipliedBy(2)), this::next);
  }

  private void reserve(Reserver reserver) {
    if (left > 0) {
      core.driver().start(reserver.send());
      after(Reserver.PERIOD, () -> reserve(reserver));
    }
  }

  /** Returns the begin of a transaction on a start timestamp at hand, if this run has such. */
  Optional<Begin> takeAtHand() {
    int share = plan().session();
    if (share == 0 || world().chance().between(1, 100) > share) {
      return Optional.empty();
    }
    Session session = core.session();
    long mark = session.mark();
    Optional<Begin> atHand =
        core.progress()
            .take(parts.sessionMark(mark), clock().monotonicNanos())
            .filter(begin -> begin.floor() >= session.floor());
    if (atHand.isPresent() && atHand.get().startTimestamp() <= mark) {
      world()
          .violated(
              "SessionKeepsOrder",
              "start=" + atHand.get().startTimestamp() + " is not above mark=" + mark);
    }
    return atHand;
  }

  /** Opens a transaction that has begun, and may take as long as {@code timeout}. */
  OpenTransaction open(Begin begin, TransactionMode mode, Duration timeout) {
    core.session().began(begin);
    return new OpenTransaction(
        begin, mode, core.services(), clock().monotonicNanos() + timeout.toNanos());
  }

  private void report(ProgressReporter progress) {
    if (left > 0) {
      core.driver().start(progress.report());
      after(progress.pause(), () -> report(progress));
    }
  }

  private void next() {
    if (left == 0) {
      return;
    }
    left--;
    Runnable ended =
        () -> {
          lastWords = () -> {};
          after(world().chance().nanosUpTo(plan().pace().multipliedBy(2)), this::next);
        };
    Chance chance = world().chance();
    if (plan().latest() > 0 && chance.between(1, 100) <= plan().latest()) {
      new LatestScript(this, ended).start();
      return;
    }
    int oneFastIn = plan().focus() == Focus.SUPERSEDED ? ONE_FAST_BESIDE_ONLOOKERS_IN : ONE_FAST_IN;
    if (!onlooker && chance.oneIn(oneFastIn)) {
      new FastScript(this, ended).start();
    } else {
      Script script = new Script(this, ended);
      onDeath(script::lastWords);
      script.start();
    }
  }

  /** Ends the run: records an unknown end for the operation under way. */
  public void fallSilent() {
    lastWords.run();
    lastWords = () -> {};
  }

  /** Dies at any point, and restarts without memory. */
  public void crash() {
    die();
    lastWords.run();
    lastWords = () -> {};
    process = recorder.newSession();
    coordination
        .machine()
        .after(
            world().chance().nanosUpTo(REBIRTH),
            () -> {
              revive();
              port = connect();
              core = make();
              start();
            });
  }
}
