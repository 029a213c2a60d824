package io.lampone.benchmarks.compare;

import io.lampone.benchmarks.BackgroundCpu;
import io.lampone.benchmarks.ChildProcess;
import io.lampone.benchmarks.Cores;
import io.lampone.benchmarks.compare.report.CompareReport;
import io.lampone.benchmarks.compare.report.Measurements;
import io.lampone.benchmarks.load.ValidatorSet;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.BucketMap.Node;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;

/**
 * Starts a cluster and the contenders and runs them in turns. In each round every class of
 * transactions runs, in random order; within a class the contenders run in random order and then
 * backwards (A B C C B A), so that slow changes affect all of them equally.
 */
public final class Comparator implements AutoCloseable {

  /** Main classes of Omid's processes, which are among the tests of this module. */
  private static final String OMID_SERVER = "io.lampone.benchmarks.omid.OmidStoreServerProcess";

  private static final String OMID_CLIENT = "io.lampone.benchmarks.omid.OmidSubjectProcess";

  private static final String SITE_FOLDER = "site";

  private static final int CLUSTER_MEGABYTES = 768;
  private static final int SERVER_MEGABYTES = 512;
  private static final int CLIENT_MEGABYTES = 192;

  /** Contenders that are started at a time. */
  private static final int STARTERS = 4;

  private static final Cores NOT_PINNED = new Cores(false, 0, 0);

  /** Time of measuring the idle cluster, once a round. */
  private static final Duration IDLE_LOOK = Duration.ofMillis(400);

  private static final Duration PROGRESS = Duration.ofSeconds(15);

  private final ComparePlan plan;
  private final Clock clock;
  private final Consumer<String> progress;
  private final Random random;

  /** All processes, in the order of their start; guarded by itself. */
  private final List<ChildProcess> processes = new ArrayList<>();

  private final List<RunningSystem> parties = new ArrayList<>();

  /** Set when the cluster has been started, before any contender is. */
  private Optional<ClusterMeter> clusterMeter = Optional.empty();

  /** Set before any contender is started, if the plan has validators. */
  private Optional<ValidatorSet> validators = Optional.empty();

  private Comparator(ComparePlan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
    this.random = new Random(plan.seed());
  }

  /**
   * Runs the comparison.
   *
   * @param progress consumer of progress lines
   * @throws IOException if a process or a transaction failed
   */
  public static CompareReport run(ComparePlan plan, Clock clock, Consumer<String> progress)
      throws IOException, InterruptedException {
    try (Comparator comparator = new Comparator(plan, clock, progress)) {
      comparator.start();
      comparator.warmUp();
      return comparator.measure();
    }
  }

  /** Ends all processes, the last one first. */
  @Override
  public void close() {
    validators.ifPresent(ValidatorSet::close);
    synchronized (processes) {
      Collections.reverse(processes);
      processes.forEach(ChildProcess::close);
    }
  }

  private void start() throws IOException, InterruptedException {
    progress.accept(
        "Starting ZooKeeper, an HBase master and 2 region servers in one process, and the"
            + " transaction manager in another");
    ChildProcess cluster =
        server(
            "cluster",
            ClusterProcess.class,
            CLUSTER_MEGABYTES,
            ClusterProcess.arguments(
                EmbeddedHBaseConfig.builder(plan.folder().resolve("hbase")).build()));
    String zooKeeper = cluster.ready().text(ClusterProcess.ZOOKEEPER);
    ChildProcess manager =
        server(
            "transaction manager",
            ComparedManagerProcess.class,
            SERVER_MEGABYTES,
            List.of(zooKeeper));
    Configuration configuration = SystemClientProtocol.configuration(zooKeeper);
    startValidators((int) manager.ready().number("port"), zooKeeper);
    writeSite(configuration);
    clusterMeter = Optional.of(new ClusterMeter(cluster, clock));
    RunningSystem.Manager lampone =
        new RunningSystem.Manager(manager, new ThreadTimes(manager), false);
    progress.accept("Making and filling " + plan.contenders().size() + " tables");
    CompareTables.create(configuration, plan.inOrder(), clock);
    ExecutorService starters = Executors.newFixedThreadPool(STARTERS);
    try {
      List<Callable<RunningSystem>> starts = new ArrayList<>();
      for (SystemUnderTest contender : plan.inOrder()) {
        starts.add(() -> party(contender, lampone, zooKeeper));
      }
      for (Future<RunningSystem> started : starters.invokeAll(starts)) {
        parties.add(started.get());
      }
    } catch (ExecutionException e) {
      throw new IOException("a contender did not start, cause=" + e.getCause(), e);
    } finally {
      starters.shutdownNow();
    }
    for (RunningSystem party : parties) {
      party.fill();
    }
  }

  /** Starts the validators, if any, and gives each its share. */
  private void startValidators(int port, String zooKeeper)
      throws IOException, InterruptedException {
    if (plan.validators() == 0) {
      return;
    }
    ValidatorSet set =
        new ValidatorSet(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
            Map.of("lampone.tm.zookeeper.quorum", zooKeeper),
            plan.folder());
    validators = Optional.of(set);
    for (int i = 1; i <= plan.validators(); i++) {
      set.start("v" + i);
      set.add("v" + i);
    }
    progress.accept(
        "Validators with a share: "
            + set.map().validators().stream().map(Node::name).collect(Collectors.joining(", ")));
  }

  private RunningSystem party(
      SystemUnderTest contender, RunningSystem.Manager lampone, String zooKeeper)
      throws IOException {
    Optional<RunningSystem.Manager> own =
        contender.isOmid()
            ? Optional.of(omid(contender, zooKeeper))
            : Optional.of(lampone).filter(unused -> contender.isLampone());
    String server = contender.isOmid() ? own.orElseThrow().process().ready().text("port") : "-";
    return new RunningSystem(
        contender, client(contender, server, zooKeeper), own, clusterMeter.orElseThrow());
  }

  private ChildProcess server(String name, Class<?> main, int megabytes, List<String> arguments)
      throws IOException {
    return started(
        new ChildProcess.Program(name, ownClassPath(), main.getName(), megabytes, arguments));
  }

  private RunningSystem.Manager omid(SystemUnderTest contender, String zooKeeper)
      throws IOException {
    ChildProcess server =
        started(
            new ChildProcess.Program(
                contender.title(),
                omidClassPath(),
                OMID_SERVER,
                SERVER_MEGABYTES,
                List.of(contender.name(), zooKeeper)));
    return new RunningSystem.Manager(server, new ThreadTimes(server), true);
  }

  private ChildProcess client(SystemUnderTest contender, String server, String zooKeeper)
      throws IOException {
    return started(
        new ChildProcess.Program(
            contender.title() + " client",
            contender.isOmid() ? omidClassPath() : ownClassPath(),
            contender.isOmid() ? OMID_CLIENT : SystemClientProcess.class.getName(),
            CLIENT_MEGABYTES,
            SystemClientProtocol.Start.arguments(contender, server, zooKeeper, plan)));
  }

  private ChildProcess started(ChildProcess.Program program) throws IOException {
    ChildProcess process = ChildProcess.startServer(program, NOT_PINNED);
    synchronized (processes) {
      processes.add(process);
    }
    return process;
  }

  private static String ownClassPath() {
    return System.getProperty("java.class.path");
  }

  /** Returns Omid's class path with a settings file, which Omid's server needs to find HBase. */
  private String omidClassPath() {
    return plan.folder().resolve(SITE_FOLDER)
        + File.pathSeparator
        + plan.omidClassPath().orElseThrow();
  }

  private void writeSite(Configuration configuration) throws IOException {
    Path folder = Files.createDirectories(plan.folder().resolve(SITE_FOLDER));
    try (OutputStream out = Files.newOutputStream(folder.resolve("hbase-site.xml"))) {
      configuration.writeXml(out);
    }
  }

  private void warmUp() throws IOException {
    progress.accept("Warming up for " + plan.warmUp().toSeconds() + " s");
    Duration each = plan.warmUp().dividedBy(2L * parties.size() * plan.classes().size());
    for (int pass = 0; pass < 2; pass++) {
      for (TransactionClass transactions : plan.classes()) {
        for (RunningSystem party : parties) {
          if (party.contender().takesPartIn(transactions)) {
            party.warmUp(transactions, each);
          }
        }
      }
    }
  }

  private CompareReport measure() throws IOException, InterruptedException {
    progress.accept(
        "Measuring for "
            + plan.measured().toSeconds()
            + " s in slices of "
            + plan.slice().toMillis()
            + " ms, seed "
            + plan.seed());
    Measurements measurements = new Measurements();
    BackgroundCpu foreign = new BackgroundCpu(clock, processes);
    long begun = clock.monotonicNanos();
    long told = begun;
    while (measurements.rounds() == 0
        || clock.monotonicNanos() - begun < plan.measured().toNanos()) {
      measurements.beginRound(clusterMeter.orElseThrow().lookAtIdle(IDLE_LOOK));
      round(measurements);
      if (clock.monotonicNanos() - told > PROGRESS.toNanos()) {
        told = clock.monotonicNanos();
        progress.accept(
            measurements.rounds()
                + " rounds, "
                + Duration.ofNanos(told - begun).toSeconds()
                + " s of "
                + plan.measured().toSeconds()
                + " s");
      }
    }
    return new CompareReport(plan, measurements, foreign.share());
  }

  private void round(Measurements measurements) throws IOException, InterruptedException {
    List<TransactionClass> classes = new ArrayList<>(plan.classes());
    Collections.shuffle(classes, random);
    for (TransactionClass transactions : classes) {
      List<RunningSystem> order = new ArrayList<>(parties);
      order.removeIf(party -> !party.contender().takesPartIn(transactions));
      for (RunningSystem party : ThereAndBack.of(order, random)) {
        measurements.add(
            party.contender(), transactions, party.measure(transactions, plan.slice()));
      }
    }
  }
}
