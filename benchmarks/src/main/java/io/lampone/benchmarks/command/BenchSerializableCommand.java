package io.lampone.benchmarks.command;

import io.lampone.benchmarks.operations.SerializableBench;
import io.lampone.benchmarks.operations.figures.SerializableFigures;
import io.lampone.cli.Progress;
import io.lampone.cli.ScratchFolder;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code lampone bench serializable}. */
@Command(
    name = "serializable",
    sortOptions = false,
    description = {
      "Measures serializable transactions in units of the same ones with snapshot isolation, in"
          + " short slices that alternate, and counts committed write skews and needless aborts. On"
          + " a cluster of its own in this process, which is thrown away."
    },
    footer = {
      "",
      "Exit codes: 0 no write skew of serializable transactions, whatever the figures; 1 failed, or",
      "there was one; 2 wrong options."
    })
final class BenchSerializableCommand implements Callable<Integer> {

  @Mixin RoundOptions options = new RoundOptions(60, 60);

  @Mixin Measuring measuring = new Measuring();

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
      SerializableFigures figures =
          new SerializableBench(
                  own.configuration(),
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
