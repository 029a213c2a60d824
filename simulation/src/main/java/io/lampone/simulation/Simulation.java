package io.lampone.simulation;

import io.lampone.history.AnomalyKind;
import io.lampone.history.Outcome;
import io.lampone.history.SnapshotIsolationChecker;
import io.lampone.history.Verdict;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** One run: a world made from a seed, its faults, its end, and the judgment. */
public final class Simulation {

  /** No run takes longer, in simulated time, unless somebody hangs. */
  private static final Duration LONGEST = Duration.ofSeconds(120);

  /** After the last fault: sessions run out, servers come back, housekeeping ends. */
  private static final Duration HEALING = Duration.ofMillis(1_500);

  /** What needs clocks that keep their promise. */
  private static final Set<AnomalyKind> OF_REAL_TIME =
      Set.of(AnomalyKind.REAL_TIME, AnomalyKind.SESSION, AnomalyKind.STALE_READ);

  private final long seed;
  private final Trace trace;
  private final World world;
  private final Plan plan;
  private final Cluster cluster;

  private Simulation(long seed, boolean traced, Seams seams) {
    this.seed = seed;
    this.trace = new Trace(traced);
    Chance chance = new Chance(seed);
    this.world = new World(chance, trace);
    this.plan = Plan.draw(chance);
    if (traced) {
      world.trace("plan", plan.toString());
    }
    this.cluster = new Cluster(world, seams.parts(plan));
  }

  /** Makes the seams of a run. */
  interface Seams {
    Parts parts(Plan plan);
  }

  /** Runs a seed. */
  public static SeedReport run(long seed, boolean traced) {
    return run(seed, traced, Parts::new);
  }

  static SeedReport run(long seed, boolean traced, Seams seams) {
    return new Simulation(seed, traced, seams).run();
  }

  private SeedReport run() {
    Nemesis nemesis = new Nemesis(cluster);
    Janitor janitor = new Janitor(cluster);
    if (runUntil(this::clientsAreDone, LONGEST)) {
      runFor(HEALING.dividedBy(2));
      nemesis.end();
      janitor.end();
      cluster.network().calm();
      runFor(HEALING);
      Finish finish = new Finish(new ClientProcess("fin", cluster, 0));
      finish.start();
      if (runUntil(finish::isDone, LONGEST)) {
        runFor(HEALING);
        cluster.master().logs().forEach(cluster.watchers()::swept);
      }
    }
    if (world.violation().isEmpty()) {
      judge();
    }
    Recorder recorder = cluster.recorder();
    return new SeedReport(
        seed,
        recorder.count(),
        recorder.count(Outcome.OK),
        recorder.count(Outcome.UNKNOWN),
        world.happened(),
        world.violation(),
        trace.lines());
  }

  /** Asked after each event. */
  private boolean clientsAreDone() {
    for (ClientProcess client : cluster.clients()) {
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
    return world.violation().isEmpty();
  }

  private void runFor(Duration duration) {
    long endNanos = world.nowNanos() + duration.toNanos();
    while (world.nowNanos() < endNanos && world.step()) {
      // Whatever happens, happens in step().
    }
  }

  private void judge() {
    Verdict verdict;
    try {
      verdict = SnapshotIsolationChecker.check(cluster.recorder().history(seed, cluster.commits()));
    } catch (IllegalArgumentException e) {
      world.violated("UsableHistory", String.valueOf(e.getMessage()));
      return;
    }
    Optional<String> anomaly =
        verdict.anomalies().stream()
            .filter(each -> plan.honestClocks() || !OF_REAL_TIME.contains(each.kind()))
            .map(each -> each.describe())
            .findFirst();
    anomaly.ifPresent(text -> world.violated("StrongSnapshotIsolation", text));
  }
}
