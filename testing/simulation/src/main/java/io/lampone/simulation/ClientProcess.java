package io.lampone.simulation;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.tm.TransactionManager;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** A client that runs one transaction or operation after the other, until it has done its share. */
final class ClientProcess extends Machine {

  private static final Duration REBIRTH = Duration.ofMillis(40);

  /** Of the clients, where transactions of the old time are to be met. */
  private static final int ONLOOKERS = 2;

  private static final int LOOKS_EACH = 5;
  private static final int ONE_FAST_IN = 3;

  /** A transaction of the old time is to be met, and an operation of the fast path is none. */
  private static final int ONE_FAST_BESIDE_ONLOOKERS_IN = 9;

  private final Network network;
  private final Coordination coordination;
  private final List<ManagerProcess> managers;
  private final Master master;
  private final Parts parts;
  private final Watchers watchers;
  private final NothingMissed latest;
  private final Recorder recorder;
  private int left;
  private ClientParts core;
  private ManagerPort port;
  private int process;

  /** Whether it only reads one row, again and again, and so meets what others have left. */
  private final boolean onlooker;

  /** The row that an onlooker reads: servers of other rows do not hear of its floor. */
  private final Bytes lookedAt;

  /** Writes down what is under way, as something whose end nobody knows. */
  private Runnable lastWords = () -> {};

  ClientProcess(String name, Cluster cluster, int transactions) {
    super(cluster.world(), name);
    this.network = cluster.network();
    this.coordination = cluster.coordination();
    this.managers = cluster.managers();
    this.master = cluster.master();
    this.parts = cluster.parts();
    this.watchers = cluster.watchers();
    this.latest = cluster.latest();
    this.recorder = cluster.recorder();
    this.onlooker =
        parts.plan().focus() == Focus.SUPERSEDED && cluster.clients().size() < ONLOOKERS;
    this.lookedAt = world().chance().pick(Schema.rows(parts.plan().rows()));
    this.left = onlooker ? transactions * LOOKS_EACH : transactions;
    this.process = recorder.newProcess();
    this.port = connect();
    this.core = make();
  }

  private ManagerPort connect() {
    return new ManagerPort(this, network, coordination, managers, parts);
  }

  private ClientParts make() {
    TransactionManager manager =
        plan().focus() == Focus.SUPERSEDED ? new Dawdler(port, this, coordination) : port;
    return ClientParts.make(this, manager, new RegionCalls(this, network, master), parts);
  }

  /** Loses its connection to the transaction manager. */
  void disconnect() {
    port.disconnect();
  }

  /** Sends a request to whom the record names, if anybody; what becomes of it nobody tells. */
  void askPrimary(Consumer<ManagerProcess> request) {
    managers.stream()
        .filter(m -> coordination.record().filter(r -> m.address().equals(r.address())).isPresent())
        .findFirst()
        .ifPresent(primary -> network.send(primary, () -> request.accept(primary)));
  }

  ClientParts core() {
    return core;
  }

  Watchers watchers() {
    return watchers;
  }

  /** Judges reads of the latest state. */
  NothingMissed latest() {
    return latest;
  }

  Recorder recorder() {
    return recorder;
  }

  Plan plan() {
    return parts.plan();
  }

  int process() {
    return process;
  }

  /** After an outcome that nobody knows this goes on as somebody else. */
  void becomeAnother() {
    process = recorder.newProcess();
  }

  /** What to write down if this dies before what it does now has ended. */
  void onDeath(Runnable words) {
    lastWords = words;
  }

  boolean isOnlooker() {
    return onlooker;
  }

  Bytes lookedAt() {
    return lookedAt;
  }

  boolean isDone() {
    return left == 0;
  }

  void start() {
    after(world().chance().nanosUpTo(plan().pace().multipliedBy(2)), this::next);
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
    int oneFastIn = plan().focus() == Focus.SUPERSEDED ? ONE_FAST_BESIDE_ONLOOKERS_IN : ONE_FAST_IN;
    if (!onlooker && chance.oneIn(oneFastIn)) {
      new FastScript(this, ended).start();
    } else {
      Script script = new Script(this, ended);
      onDeath(script::lastWords);
      script.start();
    }
  }

  /** The run ends: what is still under way is something whose end nobody knows. */
  void fallSilent() {
    lastWords.run();
    lastWords = () -> {};
  }

  /** Dies at whatever it is doing, and comes back as somebody who knows nothing of it. */
  void crash() {
    die();
    lastWords.run();
    lastWords = () -> {};
    becomeAnother();
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
