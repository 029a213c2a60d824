package io.lampone.faultlab;

import io.lampone.cluster.ClusterPlan;
import io.lampone.cluster.FencedLocalFileSystem;
import io.lampone.cluster.Hosts;
import io.lampone.cluster.LocalCluster;
import io.lampone.cluster.MemberRole;
import io.lampone.faultlab.event.EventCounts;
import io.lampone.faultlab.event.ManagerEvents;
import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.fault.LibcFaults;
import io.lampone.faultlab.fault.Machines;
import io.lampone.faultlab.fault.NamespaceNetwork;
import io.lampone.faultlab.fault.Supervisor;
import io.lampone.faultlab.report.Collected;
import io.lampone.faultlab.report.LabResult;
import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.faultlab.work.sql.SqlConnections;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;

/**
 * A cluster and clients, used for one round after the other: a start costs as much as a short
 * round, and freshly started servers are slow. Each round has separate tables.
 */
final class FaultLab implements AutoCloseable {

  private static final Duration START_BOUND = Duration.ofMinutes(6);
  private static final Duration SESSION = Duration.ofSeconds(5);
  private static final String CLUSTER = "cluster";
  private static final Duration GRACE = Duration.ofSeconds(2);

  /** Servers that start and die all the time are quickest without the second compiler. */
  private static final String JAVA_OPTIONS =
      "JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1 -XX:-UsePerfData";

  /**
   * HBase's client multiplies its pauses by up to a hundred. A lab that looks for anomalies and
   * measures the recovery of servers must not measure sleeping clients.
   */
  private static final Map<String, String> SHORT_PAUSES = Map.of("hbase.client.pause", "20");

  /** Intents of dead clients are settled within a round; those that are younger than this not. */
  private static final int LONGEST_HEALER_DELAY_MILLIS = 8_000;

  private static final Duration MANAGER_GRACE = Duration.ofSeconds(20);

  /** Hashes; a flood fills it within a second. */
  private static final String CONFLICT_TABLE = "1048576";

  private final LabPlan plan;
  private final boolean isolated;
  private final Clock clock;
  private final Consumer<String> progress;
  private final Optional<NamespaceNetwork> network;
  private final Optional<LibcFaults> libcFaults;
  private final LocalCluster cluster;
  private final ClientPool clients;
  private final Machines machines;
  private final ManagerEvents managerEvents;
  private final ExecutorService thread = Machines.thread();
  private final Thread lastWill = new Thread(this::end, "last-will");

  /** With which the transaction managers run. */
  private RoundRetention retention;

  /** Of rounds that were clean: they are removed when there is time. */
  private final List<TableName> leftOver = new ArrayList<>();

  private FaultLab(LabPlan plan, boolean isolated, Clock clock, Consumer<String> progress)
      throws IOException, InterruptedException {
    this.plan = plan;
    this.retention = plan.retention();
    this.isolated = isolated;
    this.clock = clock;
    this.progress = progress;
    this.network =
        isolated
            ? Optional.of(NamespaceNetwork.create(plan.size().hosts(), List.of(JAVA_OPTIONS)))
            : Optional.empty();
    Hosts hosts = network.<Hosts>map(one -> one).orElseGet(LoopbackHosts::new);
    this.libcFaults = libcFaults(plan, hosts);
    Hosts servers = libcFaults.<Hosts>map(one -> one).orElse(hosts);
    this.cluster = LocalCluster.create(clusterPlan(plan), servers, clock, new Random(plan.seed()));
    this.clients = new ClientPool(plan, hosts, cluster.clientSite(), clock);
    this.machines = new Machines(cluster, thread);
    this.managerEvents = new ManagerEvents(metricsPages(cluster));
  }

  /**
   * Starts the servers and waits until they can be used.
   *
   * @param plan its folder holds what outlives a round; its faults are all that may happen
   * @param isolated true if this process is the first one in separate namespaces
   */
  static FaultLab start(LabPlan plan, boolean isolated, Clock clock, Consumer<String> progress)
      throws IOException, InterruptedException {
    LabLogs.prepare(plan.folder());
    FaultLab lab = new FaultLab(plan, isolated, clock, progress);
    Runtime.getRuntime().addShutdownHook(lab.lastWill);
    boolean isUsable = false;
    try {
      progress.accept("starting " + lab.cluster.members().size() + " servers");
      on(lab.thread, lab.cluster::startAll);
      lab.cluster.awaitUsable(START_BOUND, step -> {});
      if (lab.libcFaults.isPresent()) {
        lab.libcFaults.get().everythingIsWritten();
      }
      isUsable = true;
      return lab;
    } finally {
      if (!isUsable) {
        lab.close();
      }
    }
  }

  /** Runs one round; afterwards all faults are healed, and all clients ready for the next one. */
  LabResult round(LabPlan round) throws IOException, InterruptedException {
    if (!isolated) {
      progress.accept("no namespaces: all hosts share one network, nothing can be partitioned");
    }
    keep(round.retention());
    Supervisor.Victims victims =
        new Supervisor.Victims(machines, network, libcFaults, clients, cluster.quorum());
    try (Supervisor supervisor = Supervisor.start(victims, cluster.clientSite(), clock, progress)) {
      FaultRound one = new FaultRound(round, this, supervisor, clock, progress);
      LabResult result = one.run(List.copyOf(leftOver));
      leftOver.clear();
      if (result.anomalies() == 0) {
        leftOver.addAll(round.tables());
      }
      return result;
    }
  }

  /** Transaction managers read it when they start. */
  private void keep(RoundRetention wanted) throws InterruptedException {
    if (!wanted.equals(retention)) {
      progress.accept("restarting the transaction managers with another retention");
      machines.restartAll(MemberRole.MANAGER, wanted.settings(), MANAGER_GRACE, START_BOUND);
      retention = wanted;
    }
  }

  /** Returns the counts of what the region servers have collected since their first start. */
  Collected collected() throws IOException {
    List<Path> logs = new ArrayList<>();
    for (String name : plan.size().servers()) {
      if (name.startsWith(MemberRole.REGION_SERVER.prefix())) {
        logs.add(cluster.log(name));
      }
    }
    return Collected.read(logs);
  }

  /** Returns the events of the transaction managers since their first start. */
  EventCounts managerEvents() {
    return managerEvents.counts();
  }

  private static List<URI> metricsPages(LocalCluster cluster) {
    return cluster.members().stream()
        .filter(member -> member.role() == MemberRole.MANAGER)
        .map(
            member ->
                URI.create("http://" + member.host() + ":" + member.metricsPort() + "/metrics"))
        .toList();
  }

  ClientPool clients() {
    return clients;
  }

  /** Returns the log of the master that assigns regions first. */
  Path masterLog() {
    return cluster.log(MemberRole.MASTER.prefix() + 1);
  }

  /** Returns the lab's own log. */
  Path log() {
    return LabLogs.ofLab(plan.folder());
  }

  /** Returns the settings with which clients find the cluster. */
  Path site() {
    return cluster.clientSite();
  }

  /** Returns the configuration with which HBase's client finds the cluster. */
  Configuration configuration() {
    Configuration configuration = HBaseConfiguration.create();
    configuration.addResource(new org.apache.hadoop.fs.Path(site().toUri()));
    return configuration;
  }

  /** All processes that it has started have ended when it returns. */
  @Override
  public void close() {
    end();
    managerEvents.close();
    machines.close();
    Runtime.getRuntime().removeShutdownHook(lastWill);
  }

  private void end() {
    try {
      clients.kill();
      cluster.stopAll(GRACE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      // It must not replace the reason for which the lab ends.
      e.printStackTrace();
    }
  }

  /**
   * Returns the preloaded library, only if a fault requires it: it adds some cost to every call
   * that it intercepts.
   */
  private static Optional<LibcFaults> libcFaults(LabPlan plan, Hosts hosts)
      throws IOException, InterruptedException {
    if (plan.faults().stream().noneMatch(FaultKind::needsSabotage)) {
      return Optional.empty();
    }
    Path folder = plan.folder().toRealPath();
    Path data = folder.resolve(CLUSTER).resolve("data");
    return Optional.of(
        LibcFaults.create(hosts, plan.size().servers(), folder.resolve("sabotage"), data));
  }

  private static ClusterPlan clusterPlan(LabPlan plan) throws IOException {
    LabSize size = plan.size();
    Map<String, String> settings = new TreeMap<>(SHORT_PAUSES);
    // A paused server must not acknowledge writes to a log that was already recovered.
    settings.putAll(FencedLocalFileSystem.SETTINGS);
    settings.putAll(plan.retention().settings());
    settings.putAll(WorkloadKind.CELL_LIMITS);
    if (plan.workloads().contains(WorkloadKind.SQL)) {
      settings.putAll(SqlConnections.SETTINGS);
    }
    settings.putAll(ManagerEvents.settings(plan.folder()));
    settings.put("lampone.tm.conflict.table.capacity", CONFLICT_TABLE);
    settings.put("lampone.healer.period", "2s");
    int delay = 1 + new Random(plan.seed()).nextInt(LONGEST_HEALER_DELAY_MILLIS);
    settings.put("lampone.healer.delay", delay + "ms");
    return new ClusterPlan(
        plan.folder().resolve(CLUSTER),
        size.zooKeepers(),
        size.masters(),
        size.regionServers(),
        size.managers(),
        size.validators(),
        SESSION,
        settings);
  }

  private static void on(ExecutorService thread, Runnable task) throws InterruptedException {
    try {
      thread.submit(task).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }
}
