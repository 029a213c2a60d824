package io.lampone.benchmarks.command;

import io.lampone.benchmarks.oltp.OltpDriver;
import io.lampone.benchmarks.oltp.OltpPlan;
import io.lampone.benchmarks.oltp.OltpReport;
import io.lampone.benchmarks.oltp.Workload;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Progress;
import io.lampone.cli.ScratchFolder;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Common part of {@code lampone bench tpcc}, {@code tatp} and {@code smallbank}. */
final class BenchOltp {

  static final String EXIT_CODES =
      "Exit codes: 0 all conditions hold; 1 one does not, or something failed; 2 wrong options.";

  static final String WHERE =
      "Without --zookeeper or --config on a cluster of its own in this process, which is thrown"
          + " away. On a running cluster its tables are made anew, and dropped if all"
          + " conditions hold.";

  private static final int MAX_SECONDS = 24 * 60 * 60;
  private static final int MAX_TERMINALS = 256;

  /** Attempts after which a conflicting transaction is given up and reported. */
  private static final int RETRIES = 20;

  /** Seeds are to be typed again. */
  private static final int SEEDS = 1_000_000;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long is measured. Default: ${DEFAULT-VALUE}.")
  int seconds = 30;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description = "Seconds before that; not measured. Default: ${DEFAULT-VALUE}.")
  int warmUp = 10;

  @Option(
      names = "--terminals",
      paramLabel = "N",
      description =
          "Threads, each asking again as soon as it has its answer. Default: ${DEFAULT-VALUE}.")
  int terminals = 4;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the terminals' choices. Default: by chance.")
  @Nullable Long seed;

  @Mixin Measuring measuring = new Measuring();

  /** Loads, runs, checks and reports. */
  int run(Workload workload) {
    measuring.requireIn("--seconds", seconds, 1, MAX_SECONDS);
    measuring.requireIn("--warm-up", warmUp, 0, MAX_SECONDS);
    measuring.requireIn("--terminals", terminals, 1, MAX_TERMINALS);
    return measuring.run(
        progress -> {
          OltpReport report =
              connection.isClusterNamed()
                  ? run(workload, connection.reachable(measuring.errors()), progress, true)
                  : onOwnCluster(workload, progress);
          measuring.report(progress, report.lines(), report.toJson());
          return report.isConsistent() ? 0 : 1;
        });
  }

  private OltpReport onOwnCluster(Workload workload, Progress progress)
      throws IOException, InterruptedException {
    progress.step(
        "Starting ZooKeeper, an HBase master, 2 region servers and the transaction manager");
    try (ScratchFolder folder = ScratchFolder.create("lampone-" + workload.name());
        EmbeddedLampone own =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.path()).build())) {
      Configuration configuration = own.configuration();
      connection.settings().forEach(configuration::set);
      return run(workload, configuration, progress, false);
    }
  }

  private OltpReport run(
      Workload workload, Configuration configuration, Progress progress, boolean dropped)
      throws IOException, InterruptedException {
    long chosen = seed == null ? ThreadLocalRandom.current().nextInt(SEEDS) : seed;
    progress.step("Seed " + chosen);
    return OltpDriver.run(
        workload,
        new OltpPlan(
            Duration.ofSeconds(warmUp),
            Duration.ofSeconds(seconds),
            terminals,
            RETRIES,
            chosen,
            dropped),
        configuration,
        SystemClock.INSTANCE,
        progress::step);
  }
}
