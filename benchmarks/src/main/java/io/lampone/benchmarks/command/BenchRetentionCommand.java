package io.lampone.benchmarks.command;

import io.lampone.benchmarks.operations.HotRowRun;
import io.lampone.benchmarks.operations.RetentionBench;
import io.lampone.benchmarks.operations.figures.HotRowFigures;
import io.lampone.benchmarks.operations.figures.RetentionFigures;
import io.lampone.cli.Progress;
import io.lampone.cli.ScratchFolder;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lampone bench retention}. */
@Command(
    name = "retention",
    sortOptions = false,
    description = {
      "Rewrites a few rows repeatedly, with clients that die before their commit, lets HBase"
          + " compact, and measures what is left, relative to a plain table with the same values. On a"
          + " temporary cluster in this process."
    },
    footer = {
      "",
      "Exit codes: 0 nothing was lost, whatever the figures; 1 failed, or a version was lost;",
      "2 wrong options."
    })
final class BenchRetentionCommand implements Callable<Integer> {

  private static final int MAX_SECONDS = 24 * 60 * 60;
  private static final int MAX_WARM_UP_SECONDS = 20 * 60;
  private static final int MIN_ROWS = 1_000;
  private static final int MAX_ROWS = 10_000_000;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long is written. Default: ${DEFAULT-VALUE}.")
  int seconds = 30;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description =
          "Seconds of reads before those that are measured: Java compiles for two to three minutes."
              + " Default: ${DEFAULT-VALUE}.")
  int warmUpSeconds = 60;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description =
          "Another run: one row is written for N minutes while one client in a hundred dies, and"
              + " the stored cells and the times of reads are reported over time.")
  int minutes;

  @Option(
      names = "--retention",
      paramLabel = "SECONDS",
      description = "With --minutes: how far the safe point is behind. Default: ${DEFAULT-VALUE}.")
  int retentionSeconds = 60;

  @Option(
      names = "--plot",
      paramLabel = "FOLDER",
      description = "With --minutes: where hot-row.svg and hot-row.json are written.")
  @Nullable Path plot;

  @Option(
      names = "--rows",
      paramLabel = "N",
      description = "Rows of the table. Default: ${DEFAULT-VALUE}.")
  int rows = 20_000;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of rows and values. Default: ${DEFAULT-VALUE}.")
  long seed = 1;

  @Mixin Measuring measuring = new Measuring();

  @Override
  public Integer call() {
    measuring.requireIn("--seconds", seconds, 1, MAX_SECONDS);
    measuring.requireIn("--warm-up", warmUpSeconds, 0, MAX_WARM_UP_SECONDS);
    measuring.requireIn("--rows", rows, MIN_ROWS, MAX_ROWS);
    measuring.requireIn("--minutes", minutes, 0, MAX_SECONDS / 60);
    measuring.requireIn("--retention", retentionSeconds, 1, MAX_SECONDS);
    return measuring.run(minutes > 0 ? this::hotRow : this::atRest);
  }

  private int atRest(Progress progress) throws IOException, InterruptedException {
    RetentionFigures figures = run(progress);
    measuring.report(progress, figures.lines(), figures.toJson());
    return figures.isSound() ? 0 : 1;
  }

  private RetentionFigures run(Progress progress) throws IOException, InterruptedException {
    progress.step(
        "Starting ZooKeeper, an HBase master, 2 region servers and the transaction manager");
    try (ScratchFolder folder = ScratchFolder.create("lampone-bench");
        EmbeddedLampone own =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.path()).build())) {
      return new RetentionBench(
              own,
              Duration.ofSeconds(seconds),
              Duration.ofSeconds(warmUpSeconds),
              rows,
              seed,
              SystemClock.INSTANCE,
              progress::step)
          .run();
    }
  }

  private int hotRow(Progress progress) throws IOException, InterruptedException {
    progress.step(
        "Starting ZooKeeper, an HBase master, 2 region servers and the transaction manager");
    HotRowFigures figures;
    try (ScratchFolder folder = ScratchFolder.create("lampone-bench");
        EmbeddedLampone own =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.path()).build())) {
      figures =
          new HotRowRun(
                  own,
                  (int) Duration.ofMinutes(minutes).toSeconds(),
                  Duration.ofSeconds(retentionSeconds),
                  seed,
                  SystemClock.INSTANCE,
                  progress::step)
              .run();
    }
    Path folder = plot;
    if (folder != null) {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve("hot-row.svg"), figures.toSvg());
      Files.writeString(folder.resolve("hot-row.json"), figures.toJson() + "\n");
    }
    measuring.report(progress, figures.lines(), figures.toJson());
    return figures.lost() ? 1 : 0;
  }
}
