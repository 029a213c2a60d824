package io.lampone.benchmarks.operations;

import io.lampone.benchmarks.BackgroundCpu;
import io.lampone.benchmarks.load.MachineCpu;
import io.lampone.benchmarks.operations.figures.FastPathFigures;
import io.lampone.embedded.ManagerAnswers;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;

/**
 * Measures the fast path and regular transactions in units of native operations of the same
 * cluster: rounds of short slices that alternate, after a warm-up of the same.
 */
public final class FastPathBench {

  private final FastPathPlan plan;
  private final Cluster cluster;
  private final Clock clock;
  private final Consumer<String> progress;

  /**
   * Cluster under test.
   *
   * @param configuration settings of clients
   * @param manager counters of the transaction manager, if it runs in this process
   * @param cpuNanos processor time of the measured processes so far
   * @param outlives true if the cluster continues afterwards, so that tables must be dropped
   */
  public record Cluster(
      Configuration configuration,
      Optional<Supplier<ManagerAnswers>> manager,
      LongSupplier cpuNanos,
      boolean outlives) {}

  /**
   * Prepares the benchmark.
   *
   * @param progress consumer of progress lines
   */
  public FastPathBench(FastPathPlan plan, Cluster cluster, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.cluster = cluster;
    this.clock = clock;
    this.progress = progress;
  }

  /** Creates the tables, measures, and drops them. */
  public FastPathFigures run() throws IOException, InterruptedException {
    try (ConnectionRotation rotation = ConnectionRotation.connect(cluster.configuration())) {
      progress.accept(
          "Creating "
              + TableKind.values().length * plan.valueBytes().size()
              + " tables, "
              + BenchTables.PREFIX
              + "*, and filling them");
      try (BenchTables tables =
          BenchTables.create(
              rotation.first().plain(),
              rotation.first().regular().admin(),
              plan.valueBytes(),
              clock.wallMillis(), // not the seed: runs with the same one must not meet
              clock,
              cluster.outlives())) {
        List<Comparison> comparisons = new Comparisons(plan, tables, rotation).prepare();
        return measure(
            comparisons,
            new ManagerCalls(rotation::managerRequestsOfFastClients, cluster.manager()));
      }
    }
  }

  private FastPathFigures measure(List<Comparison> comparisons, ManagerCalls calls)
      throws IOException, InterruptedException {
    try (SliceRunner runner =
        new SliceRunner(plan.threads(), plan.seed(), clock, cluster.cpuNanos())) {
      ComparisonRounds rounds =
          new ComparisonRounds(plan, comparisons, runner, calls, clock, progress);
      rounds.warmUp();
      BackgroundCpu foreign = new BackgroundCpu(clock, cluster.cpuNanos(), MachineCpu::busyNanos);
      ComparisonRounds.Outcome outcome = rounds.measure();
      return new FastPathFigures(
          plan,
          outcome.figures(),
          outcome.rounds(),
          calls.counts(),
          foreign.processors(),
          new FastPathFigures.Failed(runner.failures(), runner.firstFailure()));
    }
  }
}
