package io.lampone.benchmarks.command;

import io.lampone.benchmarks.operations.ScaleOutBench;
import io.lampone.benchmarks.operations.figures.ScaleOutFigures;
import io.lampone.cli.Progress;
import io.lampone.cli.ScratchFolder;
import io.lampone.cli.Versions;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lampone bench scale-out}. */
@Command(
    name = "scale-out",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false,
    description = {
      "Measures commits whose rows belong to two validators in units of those whose rows belong to"
          + " the primary, the primary's processor time by the number of keys, and transactions"
          + " while validators are added, removed and killed. On a cluster of its own, which is"
          + " thrown away."
    },
    footer = {
      "",
      "Exit codes: 0 measured, and no transaction failed because of an addition; 1 failed; 2 wrong",
      "options."
    })
final class BenchScaleOutCommand implements Callable<Integer> {

  private static final int MAX_ROUNDS = 10_000;
  private static final int MAX_WARM_UP_SECONDS = 20 * 60;
  private static final int QUICK_ROUNDS = 10;
  private static final int QUICK_WARM_UP_SECONDS = 10;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds of comparisons. Default: ${DEFAULT-VALUE}.")
  int rounds = 40;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description = "Seconds before that; not measured. Default: ${DEFAULT-VALUE}.")
  int warmUpSeconds = 40;

  @Option(names = "--quick", description = "10 rounds after 10 seconds: a first impression.")
  boolean quick;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of rows and of the order of slices. Default: ${DEFAULT-VALUE}.")
  long seed = 1;

  @Mixin Measuring measuring = new Measuring();

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  BenchScaleOutCommand() {}

  @Override
  public Integer call() {
    measuring.requireIn("--rounds", rounds, 1, MAX_ROUNDS);
    measuring.requireIn("--warm-up", warmUpSeconds, 0, MAX_WARM_UP_SECONDS);
    return measuring.run(this::run);
  }

  private int run(Progress progress) throws IOException, InterruptedException {
    progress.step(
        "Starting ZooKeeper, an HBase master, 2 region servers and the transaction manager");
    try (ScratchFolder folder = ScratchFolder.create("lampone-bench");
        EmbeddedLampone own =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.path()).build())) {
      ScaleOutFigures figures =
          new ScaleOutBench(
                  own,
                  folder.path(),
                  quick ? QUICK_ROUNDS : rounds,
                  Duration.ofSeconds(quick ? QUICK_WARM_UP_SECONDS : warmUpSeconds),
                  seed,
                  SystemClock.INSTANCE,
                  progress::step)
              .run();
      measuring.report(progress, figures.lines(), figures.toJson());
      return figures.isSound() ? 0 : 1;
    }
  }
}
