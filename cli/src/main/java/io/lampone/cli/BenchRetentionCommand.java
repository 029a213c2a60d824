package io.lampone.cli;

import io.lampone.cli.bench.HotRowFigures;
import io.lampone.cli.bench.HotRowRun;
import io.lampone.cli.bench.RetentionBench;
import io.lampone.cli.bench.RetentionFigures;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lampone bench retention}. */
@Command(
    name = "retention",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false,
    description = {
      "Writes a few rows again and again, with clients that die before their commit, lets HBase"
          + " compact, and looks at what is left: beside a plain table with the same values. On a"
          + " cluster of its own in this process, which is thrown away."
    },
    footer = {
      "",
      "Exit codes: 0 nothing was lost, whatever the figures; 1 failed, or a version was lost;",
      "2 wrong options."
    })
final class BenchRetentionCommand implements Callable<Integer> {

  private static final int MAX_SECONDS = 24 * 60 * 60;
  private static final int MIN_ROWS = 1_000;
  private static final int MAX_ROWS = 10_000_000;

  @Spec CommandSpec spec;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long is written. Default: ${DEFAULT-VALUE}.")
  int seconds = 30;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description =
          "Another run: one row is written for N minutes while one client in a hundred dies, and"
              + " what is stored and how long reads take is told over time.")
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

  @Option(
      names = "--json",
      description = "Standard output is one line of JSON; what people read goes to the other one.")
  boolean json;

  @Option(names = "--debug", description = "Shows stack traces and the log.")
  boolean debug;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  BenchRetentionCommand() {}

  @Override
  public Integer call() {
    require(
        seconds >= 1 && seconds <= MAX_SECONDS,
        "--seconds must be in 1.." + MAX_SECONDS + ", not " + seconds);
    require(
        rows >= MIN_ROWS && rows <= MAX_ROWS,
        "--rows must be in " + MIN_ROWS + ".." + MAX_ROWS + ", not " + rows);
    require(
        minutes >= 0 && minutes <= MAX_SECONDS / 60,
        "--minutes must be in 0.." + MAX_SECONDS / 60 + ", not " + minutes);
    require(
        retentionSeconds >= 1 && retentionSeconds <= MAX_SECONDS,
        "--retention must be in 1.." + MAX_SECONDS + ", not " + retentionSeconds);
    Logging.toStandardError(debug);
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter people = json ? spec.commandLine().getErr() : out;
    Progress progress = new Progress(people, ManagementFactory.getRuntimeMXBean()::getUptime);
    try (StopSignal stop = StopSignal.forThisThread()) {
      try {
        if (minutes > 0) {
          return hotRow(progress, out);
        }
        RetentionFigures figures = run(progress);
        figures.lines().forEach(progress::print);
        if (json) {
          out.println(figures.toJson());
        }
        out.flush();
        return figures.isSound() ? 0 : 1;
      } catch (IOException | InterruptedException | RuntimeException e) {
        if (stop.isRaised()) {
          progress.print("Stopped.");
          return 1;
        }
        Failure.print(spec.commandLine().getErr(), e, debug);
        return 1;
      }
    }
  }

  private RetentionFigures run(Progress progress) throws IOException, InterruptedException {
    progress.step(
        "Starting ZooKeeper, an HBase master, 2 region servers and the transaction manager");
    try (ScratchFolder folder = ScratchFolder.create("lampone-bench");
        EmbeddedLampone own =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.path()).build())) {
      return new RetentionBench(
              own, Duration.ofSeconds(seconds), rows, seed, SystemClock.INSTANCE, progress::step)
          .run();
    }
  }

  private int hotRow(Progress progress, PrintWriter out) throws IOException, InterruptedException {
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
    figures.lines().forEach(progress::print);
    Path folder = plot;
    if (folder != null) {
      Files.createDirectories(folder);
      Files.writeString(folder.resolve("hot-row.svg"), figures.toSvg());
      Files.writeString(folder.resolve("hot-row.json"), figures.toJson() + "\n");
    }
    if (json) {
      out.println(figures.toJson());
    }
    out.flush();
    return figures.lost() ? 1 : 0;
  }

  private void require(boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
