package io.lampone.embedded;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lampone.embedded.EmbeddedStartException.Reason;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.master.RegionState;
import org.apache.hadoop.hbase.master.assignment.RegionStates;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;
import org.apache.hadoop.metrics2.impl.JmxCacheBuster;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole HBase in this JVM: ZooKeeper, one master and a few region servers, on a folder of the
 * local file system.
 *
 * <p>These are the ordinary server classes with ordinary logs and files, so a restart on the same
 * folder, clean or after {@code kill -9}, recovers the data. All ports are on 127.0.0.1, unless the
 * configuration publishes them.
 *
 * <pre>{@code
 * try (EmbeddedHBase hbase = EmbeddedHBase.start(EmbeddedHBaseConfig.builder(folder).build());
 *     Connection connection = ConnectionFactory.createConnection(hbase.configuration())) {
 *   ...
 * }
 * }</pre>
 *
 * <p>Region servers are numbered in the order in which they were started, from 0; a number is never
 * reused, so it stays valid (and names a dead server) after {@link #killRegionServer}.
 *
 * <p>Thread-safe. The operations that change the cluster exclude each other.
 */
public final class EmbeddedHBase implements AutoCloseable {

  /** Time limit of any wait inside this class. */
  /** Number of calls of a thread that an error shows. */
  private static final int CALLS_SHOWN = 12;

  static final Duration OPERATION_TIMEOUT = Duration.ofMinutes(2);

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedHBase.class);

  private static final long POLL_MILLIS = 20;

  private final EmbeddedHBaseConfig config;
  private final DataDirectory directory;
  private final EmbeddedZooKeeper zooKeeper;
  private final Configuration serverSettings;
  private final LocalHBaseCluster cluster;

  /** True if {@link #close} ran; guarded by this. It never returns to false. */
  private boolean closed;

  private EmbeddedHBase(
      EmbeddedHBaseConfig config,
      DataDirectory directory,
      EmbeddedZooKeeper zooKeeper,
      Configuration serverSettings,
      LocalHBaseCluster cluster) {
    this.config = config;
    this.directory = directory;
    this.zooKeeper = zooKeeper;
    this.serverSettings = serverSettings;
    this.cluster = cluster;
  }

  /**
   * Starts a cluster and returns when tables can be created, read and written.
   *
   * @throws EmbeddedStartException if the start fails; all processes have then ended
   */
  public static EmbeddedHBase start(EmbeddedHBaseConfig config) throws IOException {
    // Without it, the second region server of a JVM fails to register its metrics.
    DefaultMetricsSystem.setMiniClusterMode(true);
    // It rebuilds the metrics of all regions whenever a region opens or closes. Only a started
    // instance can be stopped.
    JmxCacheBuster.clearJmxCache();
    JmxCacheBuster.stop();
    DataDirectory directory = DataDirectory.claim(config.dataDirectory());
    EmbeddedZooKeeper zooKeeper = null;
    LocalHBaseCluster cluster = null;
    try {
      zooKeeper =
          config.isPublished()
              ? EmbeddedZooKeeper.startPublished(
                  directory.zooKeeper(), config.publishedPort(), config.zooKeeperSessionTimeout())
              : EmbeddedZooKeeper.start(
                  directory.zooKeeper(), config.zooKeeperPort(), config.zooKeeperSessionTimeout());
      Configuration settings = ServerSettings.create(config, directory, zooKeeper);
      cluster =
          new LocalHBaseCluster(
              new Configuration(settings),
              1,
              config.regionServers(),
              EmbeddedMaster.class,
              EmbeddedRegionServer.class);
      EmbeddedHBase hbase = new EmbeddedHBase(config, directory, zooKeeper, settings, cluster);
      hbase.startServers();
      return hbase;
    } catch (EmbeddedStartException e) {
      stopAll(cluster, zooKeeper, directory);
      throw e;
    } catch (IOException | RuntimeException e) {
      stopAll(cluster, zooKeeper, directory);
      throw new EmbeddedStartException(
          Reason.SERVER_FAILED,
          "The embedded cluster failed to start: directory=" + directory.root() + " cause=" + e,
          e);
    } catch (Error e) {
      // On errors like a missing class, the threads of the servers would keep the JVM alive.
      stopAll(cluster, zooKeeper, directory);
      throw e;
    }
  }

  /** Returns the configuration of this cluster. */
  public EmbeddedHBaseConfig config() {
    return config;
  }

  /** Returns the settings for clients of this cluster; the caller may change its copy. */
  public Configuration configuration() {
    return new Configuration(serverSettings);
  }

  /** Returns the address of ZooKeeper as {@code host:port}. */
  public String zooKeeperConnectString() {
    return zooKeeper.connectString();
  }

  /** Returns the number of region servers ever started, dead ones included. */
  public int regionServerCount() {
    return cluster.getRegionServers().size();
  }

  /**
   * Returns the region server with the given number, dead or alive.
   *
   * @throws IndexOutOfBoundsException if no server of that number was started
   */
  public HRegionServer regionServer(int number) {
    return thread(number).getRegionServer();
  }

  /** Returns the master. */
  public HMaster master() {
    return cluster.getMaster(0);
  }

  /** Returns true if the region server with the given number still runs. */
  public boolean isAlive(int number) {
    return thread(number).isAlive();
  }

  /**
   * Returns the number of the region server that serves the given region.
   *
   * @throws IllegalStateException if none serves it at this moment
   */
  public int regionServerOf(RegionInfo region) {
    List<RegionServerThread> threads = cluster.getRegionServers();
    for (int number = 0; number < threads.size(); number++) {
      RegionServerThread thread = threads.get(number);
      if (thread.isAlive() && serves(thread.getRegionServer(), region)) {
        return number;
      }
    }
    throw new IllegalStateException(
        "No region server serves the region: region=" + region.getRegionNameAsString());
  }

  /**
   * Kills a region server as a crash does: without a flush or a transfer; other servers recover its
   * regions from its log. Returns when its thread has ended.
   */
  public synchronized void killRegionServer(int number) throws IOException {
    requireOpen();
    RegionServerThread thread = thread(number);
    thread.getRegionServer().abort("Killed by request");
    join(thread);
  }

  /** Stops a region server cleanly: its regions are flushed and closed first. */
  public synchronized void stopRegionServer(int number) throws IOException {
    requireOpen();
    RegionServerThread thread = thread(number);
    thread.getRegionServer().stop("Stopped by request");
    join(thread);
  }

  /** Starts one more region server, waits until it is online, and returns its number. */
  public int startRegionServer() throws IOException {
    return startRegionServer(Map.of());
  }

  /**
   * Starts one more region server with additional settings.
   *
   * @param settings settings of HBase, by name; they override the cluster's
   */
  public synchronized int startRegionServer(Map<String, String> settings) throws IOException {
    requireOpen();
    int number = regionServerCount();
    Configuration own = new Configuration(cluster.getConfiguration());
    settings.forEach(own::set);
    RegionServerThread thread = cluster.addRegionServer(own, number);
    thread.start();
    await("region server online", () -> isOnline(thread) || !thread.isAlive());
    if (!thread.isAlive()) {
      throw new IOException("The region server ended while it started: number=" + number);
    }
    return number;
  }

  /** Moves a region to the region server with the given number and waits until it serves it. */
  public synchronized void moveRegion(RegionInfo region, int toNumber) throws IOException {
    requireOpen();
    HRegionServer target = regionServer(toNumber);
    if (!serves(target, region)) {
      byte[] targetName = target.getServerName().toString().getBytes(US_ASCII);
      master().move(region.getEncodedNameAsBytes(), targetName);
    }
    await("region moved", () -> serves(target, region) && isAssigned(region));
  }

  /** Waits until every region of the table is served, for example after a server was killed. */
  public void waitUntilAssigned(TableName table) throws IOException {
    RegionStates states = master().getAssignmentManager().getRegionStates();
    await(
        "regions assigned: table=" + table,
        () -> {
          List<RegionInfo> regions = states.getRegionsOfTable(table);
          return !regions.isEmpty() && regions.stream().allMatch(this::isAssigned);
        });
  }

  /**
   * Stops all servers and releases the folder. Flushes data first, so that the next start is fast.
   * Further calls have no effect.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    stopAll(cluster, zooKeeper, directory);
  }

  private void startServers() throws IOException {
    cluster.startup();
    await(
        "region servers online",
        () -> cluster.getRegionServers().stream().allMatch(this::isOnline));
  }

  private boolean isOnline(RegionServerThread thread) {
    HRegionServer server = thread.getRegionServer();
    return server.isOnline() && master().getServerManager().isServerOnline(server.getServerName());
  }

  private RegionServerThread thread(int number) {
    return cluster.getRegionServers().get(number);
  }

  private boolean isAssigned(RegionInfo region) {
    // The master still lists a region as open on a server that just died, and a server may still
    // hold a region that the master reassigned: both must agree.
    RegionState state = master().getAssignmentManager().getRegionStates().getRegionState(region);
    return state != null
        && state.isOpened()
        && cluster.getRegionServers().stream()
            .filter(RegionServerThread::isAlive)
            .map(RegionServerThread::getRegionServer)
            .filter(server -> server.getServerName().equals(state.getServerName()))
            .anyMatch(server -> serves(server, region));
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("The embedded cluster is closed");
    }
  }

  private static boolean serves(HRegionServer server, RegionInfo region) {
    HRegion served = server.getRegion(region.getEncodedName());
    return served != null && served.isAvailable();
  }

  private static void join(RegionServerThread thread) throws IOException {
    try {
      thread.join(OPERATION_TIMEOUT.toMillis());
    } catch (InterruptedException e) {
      throw interrupted("region server ended", e);
    }
    if (thread.isAlive()) {
      IOException failure =
          new IOException(
              "The region server does not end: name=" + thread.getName() + " " + closing());
      failure.setStackTrace(thread.getStackTrace());
      throw failure;
    }
  }

  /** Returns the innermost calls of the threads that close regions. */
  private static String closing() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(each -> each.getKey().getName().startsWith("RS_CLOSE"))
        .map(each -> List.of(each.getValue()))
        .filter(calls -> calls.stream().anyMatch(call -> call.getMethodName().equals("process")))
        .map(calls -> calls.subList(0, Math.min(CALLS_SHOWN, calls.size())).toString())
        .collect(Collectors.joining(" ", "closing=", ""));
  }

  private static void await(String what, BooleanSupplier condition) throws IOException {
    long deadlineNanos = System.nanoTime() + OPERATION_TIMEOUT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new IOException(
            "Waited in vain for: condition='" + what + "' timeout=" + OPERATION_TIMEOUT);
      }
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        throw interrupted(what, e);
      }
    }
  }

  private static InterruptedIOException interrupted(String what, InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException failure =
        new InterruptedIOException("Interrupted while waiting for: condition='" + what + "'");
    failure.initCause(cause);
    return failure;
  }

  private static void stopAll(
      @Nullable LocalHBaseCluster cluster,
      @Nullable EmbeddedZooKeeper zooKeeper,
      DataDirectory directory) {
    if (cluster != null) {
      cluster.shutdown();
      // shutdown() does not wait for the master, which hangs when ZooKeeper goes first.
      cluster.join();
    }
    if (zooKeeper != null) {
      zooKeeper.close();
    }
    try {
      directory.close();
    } catch (IOException e) {
      LOG.warn(
          "The lock of the data directory was not released: directory={}", directory.root(), e);
    }
  }
}
