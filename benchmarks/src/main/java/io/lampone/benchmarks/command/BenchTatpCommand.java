package io.lampone.benchmarks.command;

import io.lampone.benchmarks.tatp.Tatp;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lampone bench tatp}. */
@Command(
    name = "tatp",
    sortOptions = false,
    description = {
      "Runs the seven transactions of TATP, and checks afterwards that no call forwarding is missing"
          + " or without its facility.",
      BenchOltp.WHERE
    },
    footer = {"", BenchOltp.EXIT_CODES})
final class BenchTatpCommand implements Callable<Integer> {

  private static final int MAX_SUBSCRIBERS = 10_000_000;

  @Mixin BenchOltp oltp = new BenchOltp();

  @Option(
      names = "--subscribers",
      paramLabel = "N",
      description = "The description has 100000 and more. Default: ${DEFAULT-VALUE}.")
  int subscribers = 10_000;

  @Override
  public Integer call() {
    oltp.measuring.requireIn("--subscribers", subscribers, 1, MAX_SUBSCRIBERS);
    return oltp.run(new Tatp(subscribers));
  }
}
