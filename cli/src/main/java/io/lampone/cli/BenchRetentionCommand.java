package io.lampone.cli;

import io.lampone.cli.bench.RetentionBench;
import io.lampone.cli.bench.RetentionFigures;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.Callable;
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
    Logging.toStandardError(debug);
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter people = json ? spec.commandLine().getErr() : out;
    Progress progress = new Progress(people, ManagementFactory.getRuntimeMXBean()::getUptime);
    try (StopSignal stop = StopSignal.forThisThread()) {
      try {
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

  private void require(boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
