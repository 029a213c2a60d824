package io.lampone.benchmarks.command;

import io.lampone.benchmarks.tpcc.Scale;
import io.lampone.benchmarks.tpcc.Tpcc;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lampone bench tpcc}. */
@Command(
    name = "tpcc",
    sortOptions = false,
    description = {
      "Runs the five transactions of TPC-C on tables of keys and values, without think times, and"
          + " checks the consistency conditions 1 to 10 and 12 of the specification afterwards. Not"
          + " a TPC result.",
      BenchOltp.WHERE
    },
    footer = {"", BenchOltp.EXIT_CODES})
final class BenchTpccCommand implements Callable<Integer> {

  private static final int MAX_WAREHOUSES = 1_000;
  private static final int MAX_CUSTOMERS = 3_000;
  private static final int MIN_ITEMS = 15;
  private static final int MAX_ITEMS = 100_000;

  @Mixin BenchOltp oltp = new BenchOltp();

  @Option(names = "--warehouses", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  int warehouses = 1;

  @Option(
      names = "--customers",
      paramLabel = "N",
      description =
          "Customers, and orders at the beginning, of each of the ten districts of a warehouse. The"
              + " specification has 3000. Default: ${DEFAULT-VALUE}.")
  int customers = 300;

  @Option(
      names = "--items",
      paramLabel = "N",
      description = "The specification has 100000. Default: ${DEFAULT-VALUE}.")
  int items = 10_000;

  @Override
  public Integer call() {
    oltp.measuring.requireIn("--warehouses", warehouses, 1, MAX_WAREHOUSES);
    oltp.measuring.requireIn("--customers", customers, 1, MAX_CUSTOMERS);
    oltp.measuring.requireIn("--items", items, MIN_ITEMS, MAX_ITEMS);
    return oltp.run(new Tpcc(new Scale(warehouses, customers, items)));
  }
}
