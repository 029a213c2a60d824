package io.lampone.sql.bench;

import io.lampone.benchmarks.Cores;
import io.lampone.benchmarks.Machine;
import io.lampone.benchmarks.command.Measuring;
import io.lampone.cli.LamponeCommand;
import io.lampone.cli.Progress;
import io.lampone.cli.ScratchFolder;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lampone bench sql}. */
@Command(
    name = "sql",
    sortOptions = false,
    description = {
      "Compares SQL by Apache Phoenix on Lampone with Phoenix on Omid, which is set to low latency,"
          + " and with Phoenix without transactions, in slices that alternate: all on one HBase of"
          + " its own, which is thrown away, each client in a process of its own."
    },
    footer = {
      "",
      "Alike for all: names of columns as they are, UPDATE_CACHE_FREQUENCY='NEVER', one region"
          + " server. Lampone's",
      "snapshots stay readable for 10 s instead of 10 min: a table is at rest only after that.",
      "Exit codes: 0 compared, whatever the figures; 1 failed, or the systems hold different rows;"
          + " 2 wrong",
      "options."
    })
public final class BenchSqlCommand implements Callable<Integer>, LamponeCommand {

  @Option(names = "--quick", description = "Takes about 90 seconds instead of seven minutes.")
  boolean quick;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of statements and the order of slices. Default: ${DEFAULT-VALUE}.")
  long seed = 1;

  @Mixin Measuring measuring = new Measuring();

  /** Made by {@link java.util.ServiceLoader}. */
  @Override
  public String parent() {
    return "bench";
  }

  @Override
  public Integer call() {
    return measuring.run(this::compare);
  }

  private int compare(Progress progress) throws IOException, InterruptedException {
    try (ScratchFolder folder = ScratchFolder.create("lampone-sql")) {
      SqlPlan plan =
          quick ? SqlPlan.quick(folder.path(), seed) : SqlPlan.whole(folder.path(), seed);
      SqlReport report = SqlComparison.run(plan, SystemClock.INSTANCE, progress::step);
      progress.print(Machine.describe(SystemClock.INSTANCE, new Cores(false, 0, 0)));
      measuring.report(progress, report.lines(), report.toJson());
      return 0;
    }
  }
}
