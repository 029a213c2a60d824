package io.lampone.benchmarks.command;

import io.lampone.benchmarks.load.ProcessCpu;
import io.lampone.benchmarks.operations.FastPathBench;
import io.lampone.benchmarks.operations.FastPathPlan;
import io.lampone.benchmarks.operations.figures.FastPathFigures;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Progress;
import io.lampone.cli.ScratchFolder;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lampone bench fastpath}. */
@Command(
    name = "fastpath",
    sortOptions = false,
    description = {
      "Measures the fast path and regular transactions in units of native operations on plain"
          + " tables of the same cluster, in short slices that alternate. Without --zookeeper or"
          + " --config on a cluster of its own in this process, which is thrown away.",
      "On a running cluster it makes tables named lampone-bench-* and drops them afterwards."
    },
    footer = {
      "",
      "Exit codes: 0 measured, whatever the figures; 1 failed, or an operation did, or the fast path",
      "asked the transaction manager; 2 wrong options."
    })
final class BenchFastPathCommand implements Callable<Integer> {

  private static final int MAX_SECONDS = 24 * 60 * 60;
  private static final int MAX_THREADS = 256;
  private static final int MAX_ROWS = 1_000_000;
  private static final int MAX_VALUE_BYTES = 1 << 20;

  /** Seeds are to be typed again. */
  private static final int SEEDS = 1_000_000;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long is measured. Default: ${DEFAULT-VALUE}.")
  int seconds = 60;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description = "Seconds before that; not measured. Default: ${DEFAULT-VALUE}.")
  int warmUp = 30;

  @Option(names = "--threads", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  int threads = 1;

  @Option(
      names = "--rows",
      paramLabel = "N",
      description = "Rows of each comparison in each of its tables. Default: ${DEFAULT-VALUE}.")
  int rows = 1000;

  @Option(
      names = "--value-bytes",
      paramLabel = "N",
      split = ",",
      description = "Sizes of values. Default: 100,2048.")
  List<Integer> valueBytes = List.of(100, 2048);

  @Option(
      names = "--pid",
      paramLabel = "PID",
      split = ",",
      description =
          "Processes on this machine whose CPU time counts besides that of this one: region"
              + " servers, transaction manager.")
  List<Long> pids = List.of();

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the order of slices and the choice of rows. Default: by chance.")
  @Nullable Long seed;

  @Mixin Measuring measuring = new Measuring();

  @Override
  public Integer call() {
    FastPathPlan plan = plan();
    return measuring.run(
        progress -> {
          FastPathFigures figures =
              connection.isClusterNamed()
                  ? onRunningCluster(plan, progress)
                  : onOwnCluster(plan, progress);
          measuring.report(progress, figures.lines(), figures.toJson());
          return figures.isSound() ? 0 : 1;
        });
  }

  private FastPathFigures onOwnCluster(FastPathPlan plan, Progress progress)
      throws IOException, InterruptedException {
    progress.step(
        "Starting ZooKeeper, an HBase master, 2 region servers and the transaction manager");
    try (ScratchFolder folder = ScratchFolder.create("lampone-bench");
        EmbeddedLampone own =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.path()).build())) {
      Configuration configuration = own.configuration();
      connection.settings().forEach(configuration::set);
      return run(
          plan,
          new FastPathBench.Cluster(
              configuration, Optional.of(own::managerAnswers), this::cpuNanos, false),
          progress);
    }
  }

  private FastPathFigures onRunningCluster(FastPathPlan plan, Progress progress)
      throws IOException, InterruptedException {
    Configuration configuration = connection.reachable(measuring.errors());
    if (pids.isEmpty()) {
      progress.step("CPU time is that of this client alone: --pid names the servers' processes");
    }
    return run(
        plan,
        new FastPathBench.Cluster(configuration, Optional.empty(), this::cpuNanos, true),
        progress);
  }

  private static FastPathFigures run(
      FastPathPlan plan, FastPathBench.Cluster cluster, Progress progress)
      throws IOException, InterruptedException {
    return new FastPathBench(plan, cluster, SystemClock.INSTANCE, progress::step).run();
  }

  /** Returns the processor time of this process and of the processes in the options. */
  private long cpuNanos() {
    long sum = ProcessCpu.nanos(ProcessHandle.current().pid()).orElse(0);
    for (long pid : pids) {
      sum += ProcessCpu.nanos(pid).orElse(0);
    }
    return sum;
  }

  private FastPathPlan plan() {
    measuring.require(
        seconds >= 1 && seconds <= MAX_SECONDS,
        "--seconds must be in 1.." + MAX_SECONDS + ", not " + seconds);
    measuring.require(
        warmUp >= 0 && warmUp <= MAX_SECONDS,
        "--warm-up must be in 0.." + MAX_SECONDS + ", not " + warmUp);
    measuring.require(
        threads >= 1 && threads <= MAX_THREADS,
        "--threads must be in 1.." + MAX_THREADS + ", not " + threads);
    measuring.require(
        rows >= 2 && rows <= MAX_ROWS, "--rows must be in 2.." + MAX_ROWS + ", not " + rows);
    for (int bytes : valueBytes) {
      measuring.require(
          bytes >= 1 && bytes <= MAX_VALUE_BYTES,
          "--value-bytes must be in 1.." + MAX_VALUE_BYTES + ", not " + bytes);
    }
    for (long pid : pids) {
      measuring.require(ProcessCpu.nanos(pid).isPresent(), "--pid: no such process, " + pid);
    }
    return new FastPathPlan(
        Duration.ofSeconds(seconds),
        Duration.ofSeconds(warmUp),
        threads,
        rows,
        valueBytes.stream().distinct().toList(),
        seed == null ? ThreadLocalRandom.current().nextInt(SEEDS) : seed);
  }
}
