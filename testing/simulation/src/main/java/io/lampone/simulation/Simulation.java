package io.lampone.simulation;

import io.lampone.checker.History;
import io.lampone.checker.Outcome;
import io.lampone.checker.SnapshotIsolationChecker;
import io.lampone.checker.Verdict;
import io.lampone.simulation.client.Finish;
import io.lampone.simulation.client.Flooder;
import io.lampone.simulation.client.HistoryFile;
import io.lampone.simulation.client.HistoryRecorder;
import io.lampone.simulation.client.SimulatedClient;
import io.lampone.simulation.client.Stranger;
import io.lampone.simulation.hbase.Janitor;
import io.lampone.simulation.manager.BucketMoves;
import io.lampone.simulation.mutant.Parts;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.FaultInjector;
import io.lampone.simulation.world.Plan;
import io.lampone.simulation.world.Schema;
import io.lampone.simulation.world.Trace;
import io.lampone.simulation.world.World;
import io.lampone.simulation.world.WrongClock;
import java.io.Writer;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** One run: a world made from a seed, its faults, its end, and the check of its history. */
public final class Simulation {

  /** Longest run in simulated time, unless a process hangs. */
  private static final Duration LONGEST = Duration.ofSeconds(120);

  /** Time after the last fault: sessions expire, servers come back, housekeeping ends. */
  private static final Duration HEALING = Duration.ofMillis(1_500);

  /** Mapping of a key of its histories to a cell. */
  private static final String CELL =
      "row = key, family f, qualifier list; value = elements, 8 bytes each, big-endian, in order";

  private final long seed;
  private final Trace trace;
  private final World world;
  private final Plan plan;
  private final Cluster cluster;

  private Simulation(long seed, boolean traced, Seams seams, boolean heeding) {
    this.seed = seed;
    this.trace = new Trace(traced);
    Chance chance = new Chance(seed);
    this.world = new World(chance, trace, heeding);
    this.plan = Plan.draw(chance, seed);
    if (traced) {
      world.trace("plan", plan.toString());
    }
    this.cluster = new Cluster(world, seams.parts(plan));
  }

  /** Creates the seams of a run. */
  public interface Seams {
    Parts parts(Plan plan);
  }

  /** Returns true if a seed's run has validators. */
  public static boolean hasValidators(long seed) {
    return Plan.draw(new Chance(seed), seed).validators() > 0;
  }

  /** Runs a seed. */
  public static SeedReport run(long seed, boolean traced) {
    return run(seed, traced, Parts::new);
  }

  public static SeedReport run(long seed, boolean traced, Seams seams) {
    return new Simulation(seed, traced, seams, true).run();
  }

  /**
   * Runs a seed, and writes the clients' view as a history in the format txnhist/1.
   *
   * @param history flushed and closed by the caller
   */
  public static SeedReport record(long seed, boolean traced, Writer history) {
    return new Simulation(seed, traced, Parts::new, true).record(history);
  }

  /**
   * Records a run with a planted bug. Violated invariants do not stop the run, so that the clients'
   * view can show the bug by itself.
   */
  public static SeedReport recordUnheeded(long seed, Seams seams, Writer history) {
    return new Simulation(seed, false, seams, false).record(history);
  }

  private SeedReport record(Writer target) {
    SeedReport report = run();
    HistoryFile.write(target, header(), cluster.recorder(), cluster.faults());
    return report;
  }

  /** Returns the header; if clocks exceed their limits, real time orders nothing. */
  private History.Header header() {
    return new History.Header(
        History.Header.LIST_APPEND,
        plan.honestClocks()
            ? History.Header.STRONG_SNAPSHOT_ISOLATION
            : History.Header.SNAPSHOT_ISOLATION,
        seed,
        0,
        Schema.TABLES,
        CELL,
        "");
  }

  private SeedReport run() {
    FaultInjector nemesis = new FaultInjector(cluster);
    Janitor janitor = new Janitor(cluster);
    Optional<Stranger> stranger = Stranger.of(cluster, seed);
    Optional<Flooder> flooder = Flooder.of(cluster, seed);
    Optional<BucketMoves> moves = BucketMoves.of(cluster);
    Optional<WrongClock> wrongClock = WrongClock.of(cluster, seed);
    if (runUntil(this::clientsAreDone, LONGEST)) {
      runFor(HEALING.dividedBy(2));
      nemesis.end();
      janitor.end();
      stranger.ifPresent(Stranger::end);
      flooder.ifPresent(Flooder::end);
      moves.ifPresent(BucketMoves::end);
      wrongClock.ifPresent(WrongClock::end);
      cluster.network().calm();
      runFor(HEALING);
      Finish finish = new Finish(new SimulatedClient("fin", cluster, 0));
      finish.start();
      if (runUntil(finish::isDone, LONGEST)) {
        runFor(HEALING);
        cluster.master().logs().forEach(cluster.invariantChecker()::swept);
      }
    }
    cluster.clients().forEach(SimulatedClient::fallSilent);
    if (world.violation().isEmpty()) {
      judge(world, cluster.recorder().history(header(), cluster.commits()));
    }
    HistoryRecorder recorder = cluster.recorder();
    return new SeedReport(
        seed,
        recorder.count(),
        recorder.count(Outcome.OK),
        recorder.count(Outcome.UNKNOWN),
        world.happened(),
        world.violation(),
        trace.lines());
  }

  /** Returns true if all clients are done; evaluated after each event. */
  private boolean clientsAreDone() {
    for (SimulatedClient client : cluster.clients()) {
      if (!client.isDone()) {
        return false;
      }
    }
    return true;
  }

  private boolean runUntil(BooleanSupplier reached, Duration longest) {
    long endNanos = world.nowNanos() + longest.toNanos();
    while (!reached.getAsBoolean()) {
      if (!world.step()) {
        return false;
      }
      if (world.nowNanos() > endNanos) {
        world.violated("NothingStuck", "the run does not come to its end");
        return false;
      }
    }
    return world.goesOn();
  }

  private void runFor(Duration duration) {
    long endNanos = world.nowNanos() + duration.toNanos();
    while (world.nowNanos() < endNanos && world.step()) {
      // All events run in step().
    }
  }

  /** Checks two invariants: the clients' history is usable, and is snapshot isolated. */
  static void judge(World world, History history) {
    Verdict verdict;
    try {
      verdict = SnapshotIsolationChecker.check(history);
    } catch (IllegalArgumentException e) {
      world.violated("UsableHistory", String.valueOf(e.getMessage()));
      return;
    }
    Optional<String> anomaly =
        verdict.anomalies().stream().map(each -> each.describe()).findFirst();
    anomaly.ifPresent(text -> world.violated("StrongSnapshotIsolation", text));
  }
}
