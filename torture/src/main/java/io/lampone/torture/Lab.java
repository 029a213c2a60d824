package io.lampone.torture;

import io.lampone.client.LamponeClient;
import io.lampone.cluster.ClusterPlan;
import io.lampone.cluster.Hosts;
import io.lampone.cluster.LocalCluster;
import io.lampone.cluster.Role;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.Clock;
import io.lampone.torture.Aftermath.Judgment;
import io.lampone.torture.fault.FaultKind;
import io.lampone.torture.fault.Machines;
import io.lampone.torture.fault.Nemesis;
import io.lampone.torture.fault.Network;
import io.lampone.torture.fault.PlannedFault;
import io.lampone.torture.fault.Schedule;
import io.lampone.torture.fault.WallClocks;
import io.lampone.torture.report.LabResult;
import io.lampone.torture.report.RunReport;
import io.lampone.torture.work.Cells;
import io.lampone.torture.work.ClientStatus;
import io.lampone.torture.work.WorkloadKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** One run: starts everything, lets clients work and faults happen, heals, and judges. */
final class Lab {

  private static final Duration START_BOUND = Duration.ofMinutes(6);
  private static final Duration RECOVERY_BOUND = Duration.ofMinutes(3);

  /** HBase's client may sit out a pause of many seconds before it tries again. */
  private static final Duration STOP_BOUND = Duration.ofMinutes(3);

  private static final Duration SETTLE_BOUND = Duration.ofMinutes(10);
  private static final Duration SESSION = Duration.ofSeconds(5);
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final long PROGRESS_MILLIS = 3_000;
  private static final double MILLIS = 1e3;

  /** Servers that start and die all the time are quickest without the second compiler. */
  private static final String JAVA_OPTIONS =
      "JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1 -XX:-UsePerfData";

  private final LabPlan plan;
  private final boolean isolated;
  private final Clock clock;
  private final Consumer<String> progress;

  /**
   * @param isolated whether this process is the first one in namespaces of its own
   */
  Lab(LabPlan plan, boolean isolated, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.isolated = isolated;
    this.clock = clock;
    this.progress = progress;
  }

  /** Runs it. Everything that it has started has ended when it returns, whatever it returns. */
  LabResult run() throws IOException, InterruptedException {
    Path parts = Files.createDirectories(plan.folder().resolve("parts"));
    LabLogs.prepare(plan.folder());
    List<PlannedFault> schedule =
        Schedule.draw(plan.seed(), plan.longest(), plan.faults(), plan.size().roles());
    announce(schedule);
    Optional<Network> network =
        isolated
            ? Optional.of(Network.create(plan.size().hosts(), List.of(JAVA_OPTIONS)))
            : Optional.empty();
    Hosts hosts = network.<Hosts>map(one -> one).orElseGet(MortalHosts::new);
    Optional<WallClocks> clocks = clocks(hosts);
    LocalCluster cluster =
        LocalCluster.create(
            clusterPlan(),
            clocks.<Hosts>map(one -> one).orElse(hosts),
            clock,
            new Random(plan.seed()));
    ExecutorService thread = Machines.thread();
    ClientPool clients = new ClientPool(plan, hosts, cluster.clientSite(), parts, clock);
    Thread lastWill = new Thread(() -> end(cluster, clients), "last-will");
    Runtime.getRuntime().addShutdownHook(lastWill);
    try (Machines machines = new Machines(cluster, thread)) {
      progress.accept("starting " + cluster.members().size() + " servers");
      on(thread, cluster::startAll);
      cluster.awaitUsable(START_BOUND, step -> {});
      Configuration configuration = configuration(cluster);
      progress.accept("creating tables");
      Stage.within(
          START_BOUND, "creating tables", master(cluster), () -> createTables(configuration));
      clients.start(START_BOUND);
      Nemesis.Victims victims =
          new Nemesis.Victims(machines, network, clocks, clients, cluster.quorum());
      return attack(schedule, victims, cluster, clients, configuration);
    } finally {
      end(cluster, clients);
      Runtime.getRuntime().removeShutdownHook(lastWill);
    }
  }

  private LabResult attack(
      List<PlannedFault> schedule,
      Nemesis.Victims victims,
      LocalCluster cluster,
      ClientPool clients,
      Configuration configuration)
      throws IOException, InterruptedException {
    RunReport report = new RunReport(plan.seed(), clock.monotonicNanos());
    try (Nemesis nemesis =
        Nemesis.create(victims, cluster.clientSite(), tables(), clock, progress)) {
      nemesis.start(schedule);
      watch(clients, nemesis);
      report.loadEnded(clock.monotonicNanos());
      nemesis.healAll();
      progress.accept("everything healed; waiting until all clients get on again");
      awaitProgress(clients).ifPresent(report::violation);
      int killed = clients.stop(STOP_BOUND);
      if (killed > 0) {
        report.violation("clients that did not end when asked to, and had to be killed: " + killed);
      }
      report.faults(nemesis.injected(), nemesis.takeovers());
      return judge(report, configuration);
    }
  }

  /** Prints how it is going until the time is up. */
  private void watch(ClientPool clients, Nemesis nemesis) throws InterruptedException {
    long start = clock.monotonicNanos();
    long end = start + plan.length().toNanos();
    long longest = start + plan.longest().toNanos();
    ClientStatus before = clients.status();
    long last = clock.monotonicNanos();
    while (clock.monotonicNanos() - end < 0
        || !plan.enough().isReached(before.ok(), nemesis.doneSoFar())
            && clock.monotonicNanos() - longest < 0) {
      long left = TimeUnit.NANOSECONDS.toMillis(end - clock.monotonicNanos());
      TimeUnit.MILLISECONDS.sleep(
          left <= 0 ? PROGRESS_MILLIS : Math.min(PROGRESS_MILLIS, left + 1));
      ClientStatus now = clients.status();
      long at = clock.monotonicNanos();
      double seconds = (at - last) / (double) TimeUnit.SECONDS.toNanos(1);
      progress.accept(
          String.format(
              Locale.ROOT,
              "%6.0f tx/s  p50 %.1f ms  p99 %.1f ms  ok %d  failed %d  unknown %d  faults %d",
              (now.ok() - before.ok()) / seconds,
              now.p50Micros() / MILLIS,
              now.p99Micros() / MILLIS,
              now.ok(),
              now.failed(),
              now.unknown(),
              nemesis.injected().size()));
      before = now;
      last = at;
    }
  }

  /** Every client must finish something after all is healed; says so if one does not. */
  private Optional<String> awaitProgress(ClientPool clients) throws InterruptedException {
    List<ClientStatus> before = clients.each();
    long deadline = clock.monotonicNanos() + RECOVERY_BOUND.toNanos();
    while (clock.monotonicNanos() - deadline < 0) {
      TimeUnit.MILLISECONDS.sleep(PROGRESS_MILLIS / 10);
      List<ClientStatus> now = clients.each();
      boolean all = true;
      for (int i = 0; i < now.size(); i++) {
        all &= now.get(i).ok() > before.get(i).ok();
      }
      if (all) {
        return Optional.empty();
      }
    }
    return Optional.of("a client gets nothing done " + RECOVERY_BOUND + " after all was healed");
  }

  private LabResult judge(RunReport report, Configuration configuration)
      throws IOException, InterruptedException {
    try (LamponeClient client = LamponeClient.connect(configuration);
        Connection connection = ConnectionFactory.createConnection(configuration)) {
      for (WorkloadKind kind : plan.workloads()) {
        progress.accept("settling " + kind.label());
        Aftermath aftermath = new Aftermath(kind, plan, plan.folder().resolve("parts"), clock);
        Stage.within(
                SETTLE_BOUND,
                "settling " + kind.label(),
                LabLogs.ofLab(plan.folder()),
                () -> aftermath.settle(client, connection))
            .forEach(report::violation);
      }
    }
    Map<String, Judgment> judgments = new LinkedHashMap<>();
    for (WorkloadKind kind : plan.workloads()) {
      Path file = Aftermath.history(plan.folder(), kind);
      progress.accept("judging " + file);
      Judgment judgment = Aftermath.judge(file, kind);
      report.history(kind, file, judgment.verdict(), judgment.describe(), judgment.count());
      judgment.notes().forEach(report::note);
    }
    List<String> lines = report.lines();
    lines.forEach(progress);
    Files.write(plan.folder().resolve("report.txt"), lines);
    Files.writeString(plan.folder().resolve(Campaign.RESULT), report.json());
    Path page = plan.folder().resolve("report.html");
    Files.writeString(page, report.html());
    progress.accept("timeline: " + page);
    return report.result();
  }

  private void announce(List<PlannedFault> schedule) {
    progress.accept("seed " + plan.seed() + ", folder " + plan.folder());
    if (!isolated) {
      progress.accept("no namespaces: all hosts share one network, nothing can be partitioned");
    }
    progress.accept("schedule, in seconds after the clients have begun:");
    schedule.stream()
        .filter(planned -> planned.atMillis() < plan.length().toMillis())
        .forEach(planned -> progress.accept(planned.describe()));
  }

  /** Only if they are to be changed: the library costs each reading of a clock something. */
  private Optional<WallClocks> clocks(Hosts hosts) throws IOException {
    if (plan.faults().stream().noneMatch(FaultKind::needsWallClocks)) {
      return Optional.empty();
    }
    Optional<Path> library = WallClocks.library();
    return library.isEmpty()
        ? Optional.empty()
        : Optional.of(
            WallClocks.create(
                hosts, library.get(), plan.size().hosts(), plan.folder().resolve("clocks")));
  }

  private ClusterPlan clusterPlan() {
    LabSize size = plan.size();
    return new ClusterPlan(
        plan.folder().resolve("cluster"),
        size.zooKeepers(),
        size.masters(),
        size.regionServers(),
        size.managers(),
        SESSION,
        Map.of());
  }

  private List<TableName> tables() {
    return plan.workloads().stream().map(kind -> TableName.valueOf(kind.table())).toList();
  }

  private List<TableName> createTables(Configuration configuration) throws IOException {
    Random random = new Random(plan.seed());
    List<byte[]> splits = new ArrayList<>();
    Cells.splits().forEach(split -> splits.add(split.getBytes(StandardCharsets.UTF_8)));
    try (LamponeClient client = LamponeClient.connect(configuration)) {
      for (WorkloadKind kind : plan.workloads()) {
        ConflictLevel level = random.nextBoolean() ? ConflictLevel.ROW : ConflictLevel.CELL;
        TableDescriptor table =
            TableDescriptorBuilder.newBuilder(TableName.valueOf(kind.table()))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Cells.family()))
                .build();
        if (kind.isTransactional()) {
          client.admin().createTable(table, level, splits.toArray(byte[][]::new));
        } else {
          try (Connection connection = ConnectionFactory.createConnection(configuration);
              Admin admin = connection.getAdmin()) {
            admin.createTable(table, splits.toArray(byte[][]::new));
          }
        }
      }
    }
    return tables();
  }

  private static Path master(LocalCluster cluster) {
    return cluster.log(Role.MASTER.prefix() + 1);
  }

  private static Configuration configuration(LocalCluster cluster) {
    Configuration configuration = HBaseConfiguration.create();
    configuration.addResource(new org.apache.hadoop.fs.Path(cluster.clientSite().toUri()));
    return configuration;
  }

  private static void on(ExecutorService thread, Runnable task) throws InterruptedException {
    try {
      thread.submit(task).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private static void end(LocalCluster cluster, ClientPool clients) {
    try {
      clients.kill();
      cluster.stopAll(GRACE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      // It must not stand in the place of why the run has ended.
      e.printStackTrace();
    }
  }
}
