package io.lampone.benchmarks.scale;

import io.lampone.benchmarks.Cores;
import io.lampone.benchmarks.load.ManagerProcess;
import io.lampone.benchmarks.load.Pinning;
import io.lampone.client.LamponeClient;
import io.lampone.embedded.EmbeddedHBase;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.protocol.time.Clock;
import io.lampone.tm.TransactionManagerJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/**
 * Runs the steps of each sweep up and down, and at each step the contestants in random order, so
 * that slow changes affect all of them. HBase and the clients are in this process, the transaction
 * manager in a separate one.
 */
public final class ScaleBench {

  private static final Duration MANAGER_START = Duration.ofMinutes(3);

  /** Number of slices of each of the two measurements of the transaction manager's capacity. */
  private static final int CAPACITY_SLICES = 6;

  private final ScalePlan plan;
  private final Clock clock;
  private final Consumer<String> progress;
  private final Random random;
  private final Cores cores;
  private final Map<Sweep, SweepFigures> figures = new EnumMap<>(Sweep.class);

  private ScaleBench(ScalePlan plan, Cores cores, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.cores = cores;
    this.clock = clock;
    this.progress = progress;
    this.random = new Random(plan.seed());
  }

  /** Running parts of the benchmark. */
  private record Running(
      ManagerProcess manager,
      Optional<ProcessorQuota> quota,
      ScaleTables tables,
      Operations operations,
      Sampler sampler) {}

  /** Preparation of a step beyond choosing its number. */
  @FunctionalInterface
  private interface Arrangement {
    void at(int step) throws IOException;
  }

  /** Work of a contestant at a step, and its number of threads. */
  private interface Work {
    ThreadOperation.Source of(Contestant contestant, int step);

    default int threads(@SuppressWarnings("unused") int step) {
      return 1;
    }
  }

  /**
   * Runs the sweeps.
   *
   * @param progress consumer of progress lines
   */
  public static ScaleReport run(ScalePlan plan, Cores cores, Clock clock, Consumer<String> progress)
      throws IOException, InterruptedException {
    return new ScaleBench(plan, cores, clock, progress).run();
  }

  private ScaleReport run() throws IOException, InterruptedException {
    if (!plan.hasManagerQuota()) {
      return run(Optional.empty());
    }
    // Before any start: missing permissions are reported at once.
    try (ProcessorQuota quota =
        ProcessorQuota.create(ProcessorQuota.ROOT, plan.managerQuotaPercent())) {
      return run(Optional.of(quota));
    }
  }

  private ScaleReport run(Optional<ProcessorQuota> quota) throws IOException, InterruptedException {
    progress.accept(
        "Starting ZooKeeper, an HBase master and "
            + plan.regionServers()
            + " region server(s) in this process, and the transaction manager in another");
    EmbeddedHBaseConfig config =
        EmbeddedHBaseConfig.builder(plan.folder().resolve("hbase"))
            .regionServers(plan.regionServers())
            .build();
    List<String> prefix = pinsManager() ? Pinning.prefix(cores.server()) : Collections.emptyList();
    try (EmbeddedHBase hbase = EmbeddedHBase.start(config);
        ManagerProcess manager =
            ManagerProcess.start(
                Map.of("lampone.tm.zookeeper.quorum", hbase.zooKeeperConnectString()),
                false,
                prefix,
                TransactionManagerJvm.options(),
                Files.createDirectories(plan.folder()).resolve("manager.log"))) {
      manager.awaitPrimary(MANAGER_START);
      try (Connection connection = ConnectionFactory.createConnection(hbase.configuration());
          LamponeClient client = LamponeClient.connect(hbase.configuration());
          Sampler sampler = new Sampler(plan.seed(), clock)) {
        ScaleTables tables = new ScaleTables(hbase, connection, client, plan.valueBytes());
        Operations operations = new Operations(connection, client, tables, clock);
        sweep(new Running(manager, quota, tables, operations, sampler));
      }
    }
    return new ScaleReport(plan, figures, pinsManager());
  }

  /**
   * Returns the cores of the background load's sender. A transaction manager that may use only a
   * part of its processor leaves the rest of it to the sender, and the other processor to the
   * measured work.
   */
  private Cores senders() {
    return plan.hasManagerQuota()
        ? new Cores(cores.pinned(), cores.server(), cores.server())
        : cores;
  }

  /** Returns true if the transaction manager has a dedicated processor, which requires two. */
  private boolean pinsManager() {
    return cores.pinned() && plan.steps().containsKey(Sweep.MANAGER);
  }

  private void sweep(Running running) throws IOException, InterruptedException {
    ScaleTables.Pair usual = fill(running, plan.rows());
    warmUp(running, usual);
    for (Sweep sweep : Sweep.values()) {
      List<Integer> steps = plan.steps().get(sweep);
      if (steps != null) {
        progress.accept(sweep.title() + ": " + steps);
        figures.put(sweep, new SweepFigures());
        switch (sweep) {
          case THREADS -> threads(running, usual, steps);
          case ROWS -> rows(running, usual, steps);
          case WRITES -> writes(running, usual, steps);
          case SERVERS -> servers(running, usual, steps);
          case MANAGER -> manager(running, usual, steps);
        }
      }
    }
  }

  private ScaleTables.Pair fill(Running running, int rows) throws IOException {
    progress.accept("Filling two tables with " + rows + " rows each");
    return running.tables().create(rows);
  }

  /** Cold code would be charged to the first step, and compiled on one processor for minutes. */
  private void warmUp(Running running, ScaleTables.Pair pair)
      throws IOException, InterruptedException {
    progress.accept("Warming up for " + plan.warmUp().toSeconds() + " s");
    long start = clock.monotonicNanos();
    while (clock.monotonicNanos() - start < plan.warmUp().toNanos()) {
      for (Contestant contestant : Contestant.values()) {
        if (contestant != Contestant.FAST_PATH || plan.kind().isOneRow()) {
          ThreadOperation.Source work = running.operations().access(plan.kind(), contestant, pair);
          running.sampler().run(work, 1, plan.slice());
        }
      }
    }
  }

  private void threads(Running running, ScaleTables.Pair pair, List<Integer> steps)
      throws IOException, InterruptedException {
    rounds(
        running,
        Sweep.THREADS,
        steps,
        unused -> {},
        new Work() {
          @Override
          public ThreadOperation.Source of(Contestant contestant, int step) {
            return running.operations().access(plan.kind(), contestant, pair);
          }

          @Override
          public int threads(int step) {
            return step;
          }
        });
  }

  private void rows(Running running, ScaleTables.Pair usual, List<Integer> steps)
      throws IOException, InterruptedException {
    Map<Integer, ScaleTables.Pair> pairs = new TreeMap<>();
    for (int rows : steps) {
      pairs.put(rows, rows == usual.rows() ? usual : fill(running, rows));
    }
    rounds(
        running,
        Sweep.ROWS,
        steps,
        unused -> {},
        (contestant, step) ->
            running.operations().access(plan.kind(), contestant, pairs.getOrDefault(step, usual)));
  }

  private void writes(Running running, ScaleTables.Pair pair, List<Integer> steps)
      throws IOException, InterruptedException {
    rounds(
        running,
        Sweep.WRITES,
        steps,
        unused -> {},
        (contestant, step) -> running.operations().write(contestant, pair, step));
  }

  private void servers(Running running, ScaleTables.Pair pair, List<Integer> steps)
      throws IOException, InterruptedException {
    rounds(
        running,
        Sweep.SERVERS,
        steps,
        step -> running.tables().spread(pair, step),
        new Work() {
          @Override
          public ThreadOperation.Source of(Contestant contestant, int step) {
            return running.operations().access(plan.kind(), contestant, pair);
          }

          @Override
          public int threads(int step) {
            return plan.threads();
          }
        });
  }

  private void manager(Running running, ScaleTables.Pair pair, List<Integer> steps)
      throws IOException, InterruptedException {
    if (pinsManager() && !Pinning.bindThisProcess(cores.load())) {
      throw new IOException("this process cannot be pinned, processor=" + cores.load());
    }
    ManagerProcess manager = running.manager();
    try (BackgroundLoad load =
        BackgroundLoad.start(manager.address(), manager.pid(), plan.seed(), senders(), clock)) {
      Duration look = plan.slice().multipliedBy(CAPACITY_SLICES);
      if (running.quota().isPresent()) {
        load.capacity(look); // with a part of a processor its code would be compiled for minutes
        running.quota().get().admit(manager.pid());
      }
      BackgroundLoad.Told capacity = load.capacity(look);
      progress.accept(
          String.format(
              Locale.ROOT,
              "It carries %.0f transactions a second, at %.0f %% of a processor",
              capacity.pairsPerSecond(),
              100 * capacity.managerShare()));
      Work work = (contestant, step) -> running.operations().access(plan.kind(), contestant, pair);
      for (int round = -1; round < plan.rounds(); round++) {
        boolean kept = round >= 0;
        for (int step : order(steps, round)) {
          BackgroundLoad.Told told =
              load.beside(step, capacity, () -> measure(running, Sweep.MANAGER, step, work, kept));
          SweepFigures own = figures.get(Sweep.MANAGER);
          if (kept && own != null) {
            own.add(step, told);
          }
        }
      }
    }
  }

  private void rounds(
      Running running, Sweep sweep, List<Integer> steps, Arrangement arrangement, Work work)
      throws IOException, InterruptedException {
    for (int round = -1; round < plan.rounds(); round++) { // the first one warms up
      for (int step : order(steps, round)) {
        arrangement.at(step);
        measure(running, sweep, step, work, round >= 0);
      }
    }
  }

  private static List<Integer> order(List<Integer> steps, int round) {
    List<Integer> order = new ArrayList<>(steps);
    if (round % 2 != 0) {
      Collections.reverse(order);
    }
    return order;
  }

  private void measure(Running running, Sweep sweep, int step, Work work, boolean kept)
      throws IOException, InterruptedException {
    List<Contestant> order =
        new ArrayList<>(
            Arrays.stream(Contestant.values())
                .filter(one -> one.takesPartIn(sweep, plan.kind()))
                .toList());
    Collections.shuffle(order, random);
    Breakdown breakdown = running.operations().breakdown();
    for (Contestant contestant : order) {
      breakdown.takeMeanMicros(); // of those before
      Sample sample =
          running.sampler().run(work.of(contestant, step), work.threads(step), plan.slice());
      SweepFigures own = figures.get(sweep);
      if (kept && own != null) {
        own.add(step, contestant, sample);
        if (contestant.hasPhases()) {
          own.add(step, contestant, breakdown.takeMeanMicros());
        }
      }
    }
  }
}
