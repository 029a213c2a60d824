package io.lampone.sql.bench;

import io.lampone.benchmarks.BackgroundCpu;
import io.lampone.benchmarks.ChildProcess;
import io.lampone.benchmarks.Cores;
import io.lampone.benchmarks.Latencies;
import io.lampone.benchmarks.compare.ClusterProcess;
import io.lampone.benchmarks.compare.ComparedManagerProcess;
import io.lampone.benchmarks.compare.SystemClientProtocol;
import io.lampone.benchmarks.compare.ThereAndBack;
import io.lampone.benchmarks.report.Fields;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.protocol.time.Clock;
import io.lampone.sql.BankStory;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.phoenix.query.QueryServices;

/**
 * Starts one HBase and a client of each system and lets them run in turns. In a slice each system
 * carries out the same statements, so all have the same rows, and the slowest one decides how many
 * they are.
 */
final class SqlComparison implements AutoCloseable {

  /** Jars that only the client of Lampone has begin like this. */
  private static final String PROVIDER = "lampone-phoenix-";

  private static final int CLUSTER_MEGABYTES = 1024;
  private static final int SERVER_MEGABYTES = 512;
  private static final int CLIENT_MEGABYTES = 384;

  private static final Cores NOT_PINNED = new Cores(false, 0, 0);
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Wait for background work after a slice, which would else be in the next one. */
  private static final Duration DRAINING = Duration.ofMillis(20);

  /** Bounds of the number of operations in a slice. */
  private static final int LEAST_OPERATIONS = 2;

  private static final int MOST_OPERATIONS = 10_000;

  private final SqlPlan plan;
  private final Clock clock;
  private final Consumer<String> progress;
  private final Random random;

  /** All processes, in the order in which they were started; guarded by itself. */
  private final List<ChildProcess> processes = new ArrayList<>();

  private final Map<SqlSystem, ChildProcess> clients = new EnumMap<>(SqlSystem.class);
  private final Map<SqlWorkload, Integer> operations = new EnumMap<>(SqlWorkload.class);

  private SqlComparison(SqlPlan plan, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.clock = clock;
    this.progress = progress;
    this.random = new Random(plan.seed());
    for (SqlWorkload workload : SqlWorkload.values()) {
      operations.put(workload, workload.firstOperations());
    }
  }

  /**
   * Compares.
   *
   * @param progress takes lines for a person who waits
   * @throws IOException if a process or a statement failed, or the systems hold different rows
   */
  static SqlReport run(SqlPlan plan, Clock clock, Consumer<String> progress)
      throws IOException, InterruptedException {
    try (SqlComparison comparison = new SqlComparison(plan, clock, progress)) {
      comparison.start();
      comparison.warmUp();
      SqlReport report = comparison.measure();
      comparison.requireEqualRows();
      return report;
    }
  }

  /** Ends all processes, the last one first. */
  @Override
  public void close() {
    synchronized (processes) {
      Collections.reverse(processes);
      processes.forEach(ChildProcess::close);
    }
  }

  private void start() throws IOException, InterruptedException {
    String all = System.getProperty("java.class.path");
    String stock = withoutProvider(all);
    EmbeddedHBaseConfig.Builder hbase =
        EmbeddedHBaseConfig.builder(plan.folder().resolve("hbase")).regionServers(1);
    new BankStory().configure(hbase);
    progress.accept("Starting ZooKeeper, an HBase master and a region server in one process");
    ChildProcess cluster =
        started(
            "HBase",
            stock,
            ClusterProcess.class,
            CLUSTER_MEGABYTES,
            ClusterProcess.arguments(hbase.build()));
    String zooKeeper = cluster.ready().text(ClusterProcess.ZOOKEEPER);
    Path site = writeSite(zooKeeper);
    String inFront = site + File.pathSeparator;
    progress.accept(
        "Starting Lampone's transaction manager, Omid's timestamp oracle and the clients; Phoenix"
            + " makes its catalogue");
    together(
        List.of(
            () ->
                started(
                    "Lampone's transaction manager",
                    all,
                    ComparedManagerProcess.class,
                    SERVER_MEGABYTES,
                    List.of(zooKeeper, Long.toString(plan.readable().toSeconds()))),
            () -> startOracle(site, inFront + stock),
            () -> fill(startClient(SqlSystem.PLAIN, inFront + stock)),
            () -> startClient(SqlSystem.OMID, inFront + stock),
            () -> startClient(SqlSystem.LAMPONE, inFront + all)));
    progress.accept("Making and filling the tables of Omid and Lampone");
    together(List.of(() -> fill(client(SqlSystem.OMID)), () -> fill(client(SqlSystem.LAMPONE))));
  }

  private static Fields fill(ChildProcess client) throws IOException {
    return client.ask(SqlClientProcess.fill(), PATIENCE);
  }

  private ChildProcess client(SqlSystem system) {
    return Objects.requireNonNull(clients.get(system));
  }

  private Path startOracle(Path site, String classPath) throws IOException {
    ChildProcess oracle =
        started(
            "Omid's timestamp oracle",
            classPath,
            OmidOracleProcess.class,
            SERVER_MEGABYTES,
            List.of());
    return Files.writeString(
        site.resolve("omid-client-config.yml"),
        "connectionString: \"127.0.0.1:" + oracle.ready().text(OmidOracleProcess.PORT) + "\"\n");
  }

  private ChildProcess startClient(SqlSystem system, String classPath) throws IOException {
    List<String> arguments = SqlClientProcess.arguments(system, plan.rows());
    ChildProcess client =
        started(system.title(), classPath, SqlClientProcess.class, CLIENT_MEGABYTES, arguments);
    synchronized (clients) {
      clients.put(system, client);
    }
    return client;
  }

  /** Takes steps at once: most of them are waiting. */
  private static void together(List<Callable<Object>> steps)
      throws IOException, InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(steps.size());
    try {
      for (Future<?> step : threads.invokeAll(steps)) {
        step.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("a process did not start, cause=" + e.getCause(), e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  /**
   * Returns the class path of processes in which Phoenix's transactions are Omid's.
   *
   * @throws IOException if Lampone's provider is not in a jar of its own on it
   */
  static String withoutProvider(String classPath) throws IOException {
    List<String> entries = List.of(classPath.split(File.pathSeparator, -1));
    List<String> others =
        entries.stream().filter(entry -> !new File(entry).getName().startsWith(PROVIDER)).toList();
    if (others.size() == entries.size()) {
      throw new IOException("no jar of this name is on the class path, name=" + PROVIDER + "*.jar");
    }
    return String.join(File.pathSeparator, others);
  }

  private ChildProcess started(
      String name, String classPath, Class<?> main, int megabytes, List<String> arguments)
      throws IOException {
    ChildProcess process =
        ChildProcess.startServer(
            new ChildProcess.Program(name, classPath, main.getName(), megabytes, arguments),
            NOT_PINNED);
    synchronized (processes) {
      processes.add(process);
    }
    return process;
  }

  /** Phoenix and Omid look for the cluster on the class path. */
  private Path writeSite(String zooKeeper) throws IOException {
    Configuration configuration = SystemClientProtocol.configuration(zooKeeper);
    configuration.setBoolean(QueryServices.TRANSACTIONS_ENABLED, true);
    configuration.setInt(QueryServices.LOG_SALT_BUCKETS_ATTRIB, 1); // instead of 32 regions
    configuration.setLong(QueryServices.INDEX_POPULATION_SLEEP_TIME, 0); // there are no rows yet
    Path folder = Files.createDirectories(plan.folder().resolve("site"));
    try (OutputStream out = Files.newOutputStream(folder.resolve("hbase-site.xml"))) {
      configuration.writeXml(out);
    }
    return folder;
  }

  /** Until the time is over, in whole rounds; then the tables that are counted come to rest. */
  private void warmUp() throws IOException {
    progress.accept("Warming up for " + plan.warmUp().toSeconds() + " s");
    long begun = clock.monotonicNanos();
    do {
      SqlReport round = new SqlReport();
      round(round);
      for (SqlWorkload workload : SqlWorkload.values()) {
        double slowest =
            Arrays.stream(SqlSystem.values())
                .mapToDouble(system -> round.micros(workload, system))
                .max()
                .orElseThrow();
        operations.put(workload, operations(plan.slice(), slowest));
      }
    } while (clock.monotonicNanos() - begun < plan.warmUp().toNanos());
    for (ChildProcess client : clients.values()) {
      client.ask(SqlClientProcess.compact(), PATIENCE);
    }
  }

  /** Returns how many operations of so many microseconds are a slice. */
  static int operations(Duration slice, double micros) {
    double fitting = slice.toNanos() / (1_000 * Math.max(1, micros));
    return (int) Math.max(LEAST_OPERATIONS, Math.min(MOST_OPERATIONS, fitting));
  }

  private SqlReport measure() throws IOException {
    progress.accept("Measuring for " + plan.measured().toSeconds() + " s, seed " + plan.seed());
    SqlReport report = new SqlReport();
    BackgroundCpu foreign = new BackgroundCpu(clock, processes);
    long begun = clock.monotonicNanos();
    while (report.rounds() == 0 || clock.monotonicNanos() - begun < plan.measured().toNanos()) {
      round(report);
    }
    progress.accept(foreign.describe());
    return report;
  }

  private void round(SqlReport report) throws IOException {
    report.beginRound();
    List<SqlWorkload> workloads = new ArrayList<>(List.of(SqlWorkload.values()));
    Collections.shuffle(workloads, random);
    for (SqlWorkload workload : workloads) {
      long seed = random.nextLong();
      for (SqlSystem system : ThereAndBack.of(clients.keySet(), random)) {
        report.add(system, workload, slice(system, workload, seed));
      }
    }
  }

  private Latencies slice(SqlSystem system, SqlWorkload workload, long seed) throws IOException {
    int count = Objects.requireNonNull(operations.get(workload));
    Latencies slice =
        SqlClientProcess.latencies(
            client(system).ask(SqlClientProcess.run(workload, count, seed), PATIENCE));
    LockSupport.parkNanos(DRAINING.toNanos());
    return slice;
  }

  private void requireEqualRows() throws IOException {
    Map<SqlSystem, String> sums = new EnumMap<>(SqlSystem.class);
    for (Map.Entry<SqlSystem, ChildProcess> client : clients.entrySet()) {
      sums.put(
          client.getKey(), client.getValue().ask(SqlClientProcess.sums(), PATIENCE).text("sums"));
    }
    requireEqual(sums);
  }

  /**
   * @throws IOException if one of the systems holds other rows
   */
  static void requireEqual(Map<SqlSystem, String> sums) throws IOException {
    if (sums.values().stream().distinct().count() != 1) {
      throw new IOException("the systems hold different rows, sums=" + sums);
    }
  }
}
