package io.lampone.benchmarks.command;

import io.lampone.benchmarks.smallbank.SmallBank;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lampone bench smallbank}. */
@Command(
    name = "smallbank",
    sortOptions = false,
    description = {
      "Runs the transactions of SmallBank, and checks afterwards that no money was made or lost.",
      BenchOltp.WHERE
    },
    footer = {"", BenchOltp.EXIT_CODES})
final class BenchSmallBankCommand implements Callable<Integer> {

  private static final int MAX_CUSTOMERS = 10_000_000;

  @Mixin BenchOltp oltp = new BenchOltp();

  @Option(
      names = "--customers",
      paramLabel = "N",
      description = "90 %% of transactions are of the first 100. Default: ${DEFAULT-VALUE}.")
  int customers = 10_000;

  @Override
  public Integer call() {
    oltp.measuring.requireIn("--customers", customers, 2, MAX_CUSTOMERS);
    return oltp.run(new SmallBank(customers));
  }
}
