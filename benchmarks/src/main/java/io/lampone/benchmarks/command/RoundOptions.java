package io.lampone.benchmarks.command;

import java.time.Duration;
import picocli.CommandLine.Option;

/** Options of a measurement in rounds, after a warm-up. */
final class RoundOptions {

  private static final int MAX_ROUNDS = 10_000;
  private static final int MAX_WARM_UP_SECONDS = 20 * 60;
  private static final int QUICK_ROUNDS = 10;
  private static final int QUICK_WARM_UP_SECONDS = 10;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds of comparisons. Default: ${DEFAULT-VALUE}.")
  int rounds;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description = "Seconds before that; not measured. Default: ${DEFAULT-VALUE}.")
  int warmUpSeconds;

  @Option(names = "--quick", description = "10 rounds after 10 seconds: a first impression.")
  boolean quick;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of rows and of the order of slices. Default: ${DEFAULT-VALUE}.")
  long seed = 1;

  /** Options with these defaults. */
  RoundOptions(int rounds, int warmUpSeconds) {
    this.rounds = rounds;
    this.warmUpSeconds = warmUpSeconds;
  }

  /** Refuses numbers out of range. */
  void check(Measuring measuring) {
    measuring.requireIn("--rounds", rounds, 1, MAX_ROUNDS);
    measuring.requireIn("--warm-up", warmUpSeconds, 0, MAX_WARM_UP_SECONDS);
  }

  int rounds() {
    return quick ? QUICK_ROUNDS : rounds;
  }

  Duration warmUp() {
    return Duration.ofSeconds(quick ? QUICK_WARM_UP_SECONDS : warmUpSeconds);
  }
}
