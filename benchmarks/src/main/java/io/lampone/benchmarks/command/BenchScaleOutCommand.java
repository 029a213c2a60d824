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
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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

  @Mixin RoundOptions options = new RoundOptions(40, 40);

  @Mixin Measuring measuring = new Measuring();

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  BenchScaleOutCommand() {}

  @Override
  public Integer call() {
    options.check(measuring);
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
                  options.rounds(),
                  options.warmUp(),
                  options.seed,
                  SystemClock.INSTANCE,
                  progress::step)
              .run();
      measuring.report(progress, figures.lines(), figures.toJson());
      return figures.isSound() ? 0 : 1;
    }
  }
}
