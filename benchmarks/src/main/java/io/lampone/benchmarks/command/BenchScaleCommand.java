package io.lampone.benchmarks.command;

import io.lampone.benchmarks.Cores;
import io.lampone.benchmarks.Machine;
import io.lampone.benchmarks.scale.Kind;
import io.lampone.benchmarks.scale.ScaleBench;
import io.lampone.benchmarks.scale.ScalePlan;
import io.lampone.benchmarks.scale.ScaleReport;
import io.lampone.benchmarks.scale.Sweep;
import io.lampone.cli.Progress;
import io.lampone.cli.ScratchFolder;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lampone bench scale}. */
@Command(
    name = "scale",
    sortOptions = false,
    description = {
      "Shows how latency and throughput of native HBase, regular transactions and the fast path"
          + " change with one thing at a time, on a cluster that is made for it and thrown away.",
      "What is varied: threads of the client, rows of the table, rows that a transaction writes,"
          + " region servers, and the load of the transaction manager in percent of its capacity.",
      "All servers share this machine: it shows what transactions add at each step, not how a"
          + " cluster of many machines scales."
    },
    footer = {"", "Exit codes: 0 measured, whatever the figures; 1 failed; 2 wrong options."})
final class BenchScaleCommand implements Callable<Integer> {

  private static final int MAX_ROUNDS = 1_000;
  private static final int MAX_WARM_UP_SECONDS = 3_600;
  private static final int MIN_SLICE_MILLIS = 20;
  private static final int MAX_SLICE_MILLIS = 10_000;
  private static final int MIN_ROWS = 100;
  private static final int MAX_ROWS = 10_000_000;
  private static final int MAX_THREADS = 256;
  private static final int MAX_SERVERS = 8;
  private static final int MAX_PERCENT = 100;

  /** Least quota of the kernel: 1 ms of a period of 5 ms. */
  private static final int MIN_QUOTA_PERCENT = 20;

  private static final int MAX_QUOTA_PERCENT = 99;
  private static final int MAX_VALUE_BYTES = 1 << 20;

  /** Seeds are to be typed again. */
  private static final int SEEDS = 1_000_000;

  @Option(
      names = "--sweeps",
      paramLabel = "NAME",
      split = ",",
      description = "threads, rows, writes, servers, manager. Default: all of them.")
  List<String> sweeps = List.of("threads", "rows", "writes", "servers", "manager");

  @Option(
      names = "--steps",
      paramLabel = "N",
      split = ",",
      description =
          "What to go through, in rising order; with one sweep only. Default: threads 1,2,4,8,16;"
              + " rows 10000,100000,1000000; writes 1,10,100,1000,10000; servers 1,2,3,4; manager"
              + " 0,25,50,75,90.")
  @Nullable List<Integer> steps;

  @Option(
      names = "--operation",
      paramLabel = "NAME",
      description =
          "What is done, but for the sweep writes: read, write, read-write (all of one row), five"
              + " (three rows read, two others written), ten (five and five). Default:"
              + " ${DEFAULT-VALUE}.")
  String operation = Kind.READ_WRITE.key();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Of all steps and systems; one more is not kept. Default: ${DEFAULT-VALUE}.")
  int rounds = 5;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      description = "Before the first sweep; not measured. Default: ${DEFAULT-VALUE}.")
  int warmUp = 20;

  @Option(
      names = "--slice",
      paramLabel = "MILLIS",
      description = "How long one system runs before the next does. Default: ${DEFAULT-VALUE}.")
  int slice = 500;

  @Option(
      names = "--rows",
      paramLabel = "N",
      description = "Of a table, where they are not varied. Default: ${DEFAULT-VALUE}.")
  int rows = 20_000;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Of the client while region servers are varied. Default: ${DEFAULT-VALUE}.")
  int threads = 8;

  @Option(
      names = "--manager-quota",
      paramLabel = "PERCENT",
      description =
          "Of a processor that the transaction manager may use while its load is varied, 20 to 99,"
              + " so that even 90 %% of its capacity costs little to send. It stands still for up"
              + " to 5 ms at a time then, so figures of regular transactions are worse than they"
              + " would be. Needs root and Linux. Default: all of one.")
  @Nullable Integer managerQuota;

  @Option(names = "--value-bytes", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  int valueBytes = 100;

  @Option(names = "--seed", paramLabel = "N", description = "Default: by chance.")
  @Nullable Long seed;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      description =
          "Where scale.json, scale.csv and a picture for each sweep go. Default: none are written.")
  @Nullable Path output;

  @Mixin Measuring measuring = new Measuring();

  @Override
  public Integer call() {
    Map<Sweep, List<Integer>> chosen = chosen();
    measuring.require(
        Kind.of(operation).isPresent(), "--operation: there is no such one, " + operation);
    measuring.requireIn("--rounds", rounds, 1, MAX_ROUNDS);
    measuring.requireIn("--warm-up", warmUp, 0, MAX_WARM_UP_SECONDS);
    measuring.requireIn("--slice", slice, MIN_SLICE_MILLIS, MAX_SLICE_MILLIS);
    measuring.requireIn("--rows", rows, MIN_ROWS, MAX_ROWS);
    measuring.requireIn("--threads", threads, 1, MAX_THREADS);
    measuring.requireIn("--value-bytes", valueBytes, 1, MAX_VALUE_BYTES);
    if (managerQuota != null) {
      measuring.requireIn("--manager-quota", managerQuota, MIN_QUOTA_PERCENT, MAX_QUOTA_PERCENT);
      measuring.require(
          chosen.containsKey(Sweep.MANAGER), "--manager-quota needs the sweep manager");
    }
    for (int written : chosen.getOrDefault(Sweep.WRITES, List.of())) {
      measuring.require(
          written <= rows, "--rows must not be less than a transaction writes, " + written);
    }
    return measuring.run(progress -> measure(chosen, progress));
  }

  private int measure(Map<Sweep, List<Integer>> chosen, Progress progress)
      throws IOException, InterruptedException {
    try (ScratchFolder folder = ScratchFolder.create("lampone-scale")) {
      ScalePlan plan =
          new ScalePlan(
              chosen,
              Kind.of(operation).orElseThrow(),
              folder.path(),
              Duration.ofSeconds(warmUp),
              Duration.ofMillis(slice),
              rounds,
              rows,
              threads,
              valueBytes,
              managerQuota == null ? 0 : managerQuota,
              seed == null ? ThreadLocalRandom.current().nextInt(SEEDS) : seed);
      Cores cores = Cores.ofThisMachine();
      ScaleReport report = ScaleBench.run(plan, cores, SystemClock.INSTANCE, progress::step);
      progress.print(Machine.describe(SystemClock.INSTANCE, new Cores(false, 0, 0)));
      if (output != null) {
        report.write(output);
        progress.step("Wrote " + output.resolve("scale.json"));
      }
      measuring.report(progress, report.lines(), report.toJson());
      return 0;
    }
  }

  private Map<Sweep, List<Integer>> chosen() {
    Map<Sweep, List<Integer>> chosen = new EnumMap<>(Sweep.class);
    for (String name : sweeps) {
      Optional<Sweep> one = Sweep.of(name);
      measuring.require(one.isPresent(), "--sweeps: there is no such sweep, " + name);
      one.ifPresent(sweep -> chosen.put(sweep, steps == null ? sweep.steps() : steps));
    }
    measuring.require(steps == null || chosen.size() == 1, "--steps needs one sweep");
    chosen.forEach((sweep, own) -> own.forEach(step -> requireStep(sweep, step)));
    return chosen;
  }

  private void requireStep(Sweep sweep, int step) {
    switch (sweep) {
      case THREADS -> measuring.requireIn("--steps", step, 1, MAX_THREADS);
      case ROWS -> measuring.requireIn("--steps", step, MIN_ROWS, MAX_ROWS);
      case WRITES -> measuring.requireIn("--steps", step, 1, MAX_ROWS);
      case SERVERS -> measuring.requireIn("--steps", step, 1, MAX_SERVERS);
      case MANAGER -> measuring.requireIn("--steps", step, 0, MAX_PERCENT);
    }
  }
}
