package io.lampone.benchmarks.command;

import io.lampone.benchmarks.localcheck.LocalCheckBench;
import io.lampone.benchmarks.localcheck.LocalCheckResult;
import io.lampone.benchmarks.operations.ScaleOutBench;
import io.lampone.benchmarks.operations.figures.ScaleOutFigures;
import io.lampone.cli.Progress;
import io.lampone.cli.ScratchFolder;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lampone bench scale-out}. */
@Command(
    name = "scale-out",
    sortOptions = false,
    description = {
      "Measures commits whose rows belong to two validators in units of those whose rows belong to"
          + " the primary, the primary's processor time by the number of keys, and transactions"
          + " while validators are added, removed and killed. On a cluster of its own, which is"
          + " thrown away. With --local-check instead: how many LATEST transactions pass the"
          + " local check, by share of writes (Centiman, Figure 11)."
    },
    footer = {
      "",
      "Exit codes: 0 measured, and no transaction failed because of an addition; 1 failed; 2 wrong",
      "options."
    })
final class BenchScaleOutCommand implements Callable<Integer> {

  private static final int MIN_KEYS = 100;
  private static final int MAX_KEYS = 10_000_000;
  private static final int MAX_PERCENT = 100;
  private static final Duration SLICE = Duration.ofSeconds(10);
  private static final Duration QUICK_SLICE = Duration.ofSeconds(1);

  @Mixin RoundOptions options = new RoundOptions(40, 40);

  @Option(
      names = "--local-check",
      description = "Measures LATEST transactions of ten keys, and nothing else.")
  boolean localCheck;

  @Option(
      names = "--keys",
      paramLabel = "N",
      description = "Keys for --local-check. Default: ${DEFAULT-VALUE}.")
  int keys = 100_000;

  @Option(
      names = "--writes",
      split = ",",
      paramLabel = "PERCENT",
      description =
          "Shares of transactions that write, for --local-check. Default: ${DEFAULT-VALUE}.")
  List<Integer> writes = List.of(1, 10, 30, 50, 70, 90);

  @Mixin Measuring measuring = new Measuring();

  @Override
  public Integer call() {
    options.check(measuring);
    measuring.requireIn("--keys", keys, MIN_KEYS, MAX_KEYS);
    writes.forEach(each -> measuring.requireIn("--writes", each, 0, MAX_PERCENT));
    return measuring.run(this::run);
  }

  private int run(Progress progress) throws IOException, InterruptedException {
    progress.step(
        "Starting ZooKeeper, an HBase master, 2 region servers and the transaction manager");
    try (ScratchFolder folder = ScratchFolder.create("lampone-bench");
        EmbeddedLampone own =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.path()).build())) {
      if (localCheck) {
        return localCheck(own, progress);
      }
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

  private int localCheck(EmbeddedLampone own, Progress progress)
      throws IOException, InterruptedException {
    List<LocalCheckResult> results =
        new LocalCheckBench(
                own,
                keys,
                options.quick ? QUICK_SLICE : SLICE,
                options.seed,
                SystemClock.INSTANCE,
                progress::step)
            .run(writes);
    measuring.report(
        progress, LocalCheckResult.lines(results), LocalCheckResult.json(keys, results));
    return 0;
  }
}
