package io.lampone.benchmarks.command;

import io.lampone.benchmarks.load.LibraryLoad;
import io.lampone.benchmarks.load.Load;
import io.lampone.benchmarks.load.LoadPlan;
import io.lampone.benchmarks.load.LoadResult;
import io.lampone.benchmarks.load.LoadRun;
import io.lampone.benchmarks.load.Pinning;
import io.lampone.benchmarks.load.RawLoad;
import io.lampone.benchmarks.load.WriteSizes;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.LamponeCommand;
import io.lampone.cli.Progress;
import io.lampone.cli.manager.ManagerAccess;
import io.lampone.protocol.time.SystemClock;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.AddressSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lampone tm-load}. */
@Command(
    name = "tm-load",
    sortOptions = false,
    description = {
      "Makes load on a transaction manager: transactions that begin and commit, with no data"
          + " behind them. Half of the time is spent on begins alone, half on transactions.",
      "With --rate, transactions begin at their times whatever the answers do, and latency counts"
          + " from those times; without, the answers set the pace."
    },
    footer = {
      "",
      "Clients:",
      "  library  the client library, as applications use it, on one thread: futures, deadlines,"
          + " retries.",
      "  raw      bare frames, as many clients together would send. Measures the transaction"
          + " manager",
      "           and hardly the client; latency is that of a whole frame.",
      "",
      "Exit codes: 0 done; 1 failed, or requests were not executed; 2 wrong options."
    })
public final class TmLoadCommand implements Callable<Integer>, LamponeCommand {

  private static final int MAX_SECONDS = 24 * 60 * 60;
  private static final int MAX_CONNECTIONS = 1024;
  private static final int MAX_OUTSTANDING = 1 << 20;

  /** Requests that the library keeps outstanding: more would wait in the generator. */
  private static final int LIBRARY_OUTSTANDING = 4096;

  private static final int RAW_OUTSTANDING = 8192;

  @ArgGroup(exclusive = false, heading = "A transaction manager of its own:%n")
  LocalOptions local = new LocalOptions();

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = "--address",
      paramLabel = "HOST:PORT",
      description = "Asks this transaction manager, instead of the one that ZooKeeper names.")
  @Nullable String address;

  @Option(
      names = "--tm-pid",
      paramLabel = "PID",
      description = "Its process on this machine, to tell how much CPU it needs.")
  long managerPid;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long is measured, both halves together. Default: ${DEFAULT-VALUE}.")
  int seconds = 20;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description = "Seconds before each half; not measured. Default: ${DEFAULT-VALUE}.")
  int warmUp = 3;

  @Option(
      names = "--client",
      description = "What makes the load: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  LoadPlan.Client client = LoadPlan.Client.LIBRARY;

  @Option(names = "--connections", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  int connections = 1;

  @Option(
      names = "--outstanding",
      paramLabel = "N",
      description =
          "Transactions under way at a time, at most. Default: "
              + LIBRARY_OUTSTANDING
              + " of the library, "
              + RAW_OUTSTANDING
              + " raw.")
  int outstanding;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Transactions begun a second. Default: as many as the answers allow.")
  double rate;

  @Option(
      names = "--cells",
      paramLabel = "N",
      description = "How many cells there are to write. Default: ${DEFAULT-VALUE}.")
  long cells = 10_000_000;

  @Option(
      names = "--distribution",
      paramLabel = "zipf|uniform",
      description = "Which cells are written how often. Default: ${DEFAULT-VALUE}.")
  Distribution distribution = Distribution.UNIFORM;

  @Option(
      names = "--theta",
      paramLabel = "X",
      description = "Skew of zipf, between 0 and 1. Default: ${DEFAULT-VALUE}.")
  double theta = 0.99;

  @Option(
      names = "--writes",
      paramLabel = "SIZES",
      description =
          "Cells that a transaction writes: fixed:N, uniform:A-B or zipf:MAX. Default:"
              + " ${DEFAULT-VALUE}.")
  String writes = "fixed:2";

  @Option(
      names = "--read-only",
      paramLabel = "SHARE",
      description = "Part of the transactions that only begin. Default: ${DEFAULT-VALUE}.")
  double readOnly = 0.1;

  @Option(names = "--seed", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  long seed = 1;

  @Mixin Measuring measuring = new Measuring();

  /** Distribution of writes over the cells. */
  enum Distribution {
    ZIPF,
    UNIFORM
  }

  @Override
  public Integer call() {
    LoadPlan plan = plan();
    List<Integer> pinned = local.cpus(measuring::refuse);
    measuring.require(local.wanted || pinned.isEmpty(), "--pin needs --local");
    measuring.require(!local.wanted || address == null, "--local and --address exclude each other");
    return measuring.run(
        progress -> {
          LoadResult result =
              local.wanted ? runLocal(plan, pinned, progress) : runRemote(plan, progress);
          measuring.report(progress, LoadReport.lines(plan, result), result.toJson());
          return result.failures() == 0 ? 0 : 1;
        });
  }

  private LoadResult runLocal(LoadPlan plan, List<Integer> pinned, Progress progress)
      throws IOException, InterruptedException {
    boolean pins = !pinned.isEmpty() && pinned.stream().allMatch(Pinning::isPossible);
    if (!pinned.isEmpty() && !pins) {
      progress.step("Not pinned: no taskset, or no such processors as " + pinned);
    }
    // Before any thread starts: new threads inherit the binding.
    if (pins && !Pinning.bindThisProcess(pinned.get(1))) {
      progress.step("This process is not pinned: taskset failed");
    }
    progress.step("Starting a transaction manager, store=" + local.store());
    List<String> prefix = pins ? Pinning.prefix(pinned.get(0)) : List.of();
    try (LocalManager manager = LocalManager.start(local, prefix)) {
      AddressSource source = AddressSource.fixed(manager.address());
      TransactionManagerClientConfig config = TransactionManagerClientConfig.builder().build();
      return run(plan, config, source, manager.address(), OptionalLong.of(manager.pid()), progress);
    }
  }

  private LoadResult runRemote(LoadPlan plan, Progress progress)
      throws IOException, InterruptedException {
    try (ManagerAccess access = ManagerAccess.open(connection, measuring.errors())) {
      InetSocketAddress primary =
          address == null ? access.primary().address() : ManagerAccess.address(address);
      AddressSource source = address == null ? access.source() : AddressSource.fixed(primary);
      OptionalLong pid = managerPid > 0 ? OptionalLong.of(managerPid) : OptionalLong.empty();
      return run(plan, access.config(), source, primary, pid, progress);
    }
  }

  private LoadResult run(
      LoadPlan plan,
      TransactionManagerClientConfig config,
      AddressSource source,
      InetSocketAddress primary,
      OptionalLong pid,
      Progress progress)
      throws IOException, InterruptedException {
    if (plan.client() == LoadPlan.Client.LIBRARY) {
      measuring.requireIn(
          "--outstanding", plan.outstanding(), 1, (long) connections * config.maxOutstanding());
    }
    try (Load load =
        plan.client() == LoadPlan.Client.RAW
            ? new RawLoad(plan, ManagerAccess.resolved(primary), SystemClock.INSTANCE)
            : new LibraryLoad(plan, config, source, SystemClock.INSTANCE)) {
      LoadResult result = new LoadRun(plan, load, pid, progress::step).run();
      if (load instanceof LibraryLoad library && !library.firstFailure().isEmpty()) {
        progress.step("Requests were not executed, the first one: " + library.firstFailure());
      }
      return result;
    }
  }

  private LoadPlan plan() {
    measuring.requireIn("--seconds", seconds, 2, MAX_SECONDS);
    measuring.requireIn("--warm-up", warmUp, 0, MAX_SECONDS);
    measuring.requireIn("--connections", connections, 1, MAX_CONNECTIONS);
    measuring.requireIn("--outstanding", outstanding, 0, MAX_OUTSTANDING);
    measuring.require(rate >= 0, "--rate must not be negative, and is " + rate);
    measuring.require(cells >= 1, "--cells must be at least 1, not " + cells);
    measuring.require(theta > 0 && theta < 1, "--theta must be between 0 and 1, not " + theta);
    measuring.require(
        readOnly >= 0 && readOnly < 1,
        "--read-only must be at least 0 and below 1, not " + readOnly);
    measuring.require(
        rate == 0 || client == LoadPlan.Client.LIBRARY,
        "--rate requires --client library: raw follows the pace of the answers");
    boolean raw = client == LoadPlan.Client.RAW;
    int byDefault = raw ? RAW_OUTSTANDING : LIBRARY_OUTSTANDING;
    return new LoadPlan(
        client,
        connections,
        outstanding == 0 ? byDefault : outstanding,
        rate,
        cells,
        distribution == Distribution.ZIPF ? theta : 0,
        writes(),
        readOnly,
        Duration.ofSeconds(warmUp),
        Duration.ofMillis(seconds * 500L),
        seed);
  }

  private WriteSizes writes() {
    try {
      return WriteSizes.parse(writes);
    } catch (IllegalArgumentException e) {
      throw measuring.refuse("--writes is " + e.getMessage());
    }
  }
}
