package io.lampone.coprocessor;

import io.lampone.protocol.tm.ManagerRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.metrics2.impl.JmxCacheBuster;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** ZooKeeper, a master and two region servers in this JVM, and a hand-written manager's znode. */
public final class TinyCluster implements AutoCloseable {

  private static final String LOOPBACK = "127.0.0.1";
  private static final int SESSION_MILLIS = 20_000;
  private static final int SERVERS = 2;
  private static final int START_MILLIS = 180_000;

  private final int handlers;
  private final NIOServerCnxnFactory zooKeeper;
  private final LocalHBaseCluster cluster;
  private final Configuration settings;
  private final ZooKeeper client;
  private final Connection connection;
  private final Ticks ticks = new Ticks();
  private final ScriptedManager manager = new ScriptedManager(ticks);

  TinyCluster() throws Exception {
    this(10);
  }

  /**
   * @param handlers threads of each server that execute requests
   */
  TinyCluster(int handlers) throws Exception {
    this(handlers, Map.of());
  }

  /**
   * @param more settings of every server and client
   */
  TinyCluster(int handlers, Map<String, String> more) throws Exception {
    this.handlers = handlers;
    DefaultMetricsSystem.setMiniClusterMode(true);
    // It registers the metrics of all regions anew after any region has opened or closed.
    // Only what was started can be stopped.
    JmxCacheBuster.clearJmxCache();
    JmxCacheBuster.stop();
    Path folder = Files.createTempDirectory("lampone-cop");
    ZooKeeperServer server =
        new ZooKeeperServer(
            Files.createDirectory(folder.resolve("zk")).toFile(), folder.toFile(), 1000);
    zooKeeper = new NIOServerCnxnFactory();
    zooKeeper.configure(new InetSocketAddress(LOOPBACK, 0), 200);
    zooKeeper.startup(server);
    client = new ZooKeeper(LOOPBACK + ":" + zooKeeper.getLocalPort(), SESSION_MILLIS, event -> {});
    settings = settings(folder);
    more.forEach(settings::set);
    cluster = new LocalHBaseCluster(settings, SERVERS);
    cluster.startup();
    await(() -> cluster.getMaster(0).isInitialized());
    connection = ConnectionFactory.createConnection(settings);
  }

  /** Timestamps for all tests on this cluster: what a server has learnt it does not forget. */
  public Ticks ticks() {
    return ticks;
  }

  /** Issues the servers' ticks. */
  ScriptedManager manager() {
    return manager;
  }

  public Connection connection() {
    return connection;
  }

  /** How every server and client is configured. */
  Configuration settings() {
    return settings;
  }

  HRegionServer server(int number) {
    return cluster.getRegionServers().get(number).getRegionServer();
  }

  /** Writes the manager's record, as a transaction manager would. */
  public void publish(ManagerRecord without) {
    ManagerRecord record =
        new ManagerRecord(
            without.epoch(),
            without.holder(),
            manager.address(),
            without.leaseSequence(),
            without.leaseDurationMillis(),
            without.released(),
            without.bound(),
            without.floor(),
            without.safePoint(),
            without.succession(),
            without.proofsFrom());
    try {
      if (client.exists(ManagerRecord.DEFAULT_PARENT, false) == null) {
        create(ManagerRecord.DEFAULT_PARENT, new byte[0]);
      }
      String path = ManagerRecord.DEFAULT_PARENT + "/" + ManagerRecord.ZNODE;
      if (client.exists(path, false) == null) {
        create(path, record.encode());
      } else {
        client.setData(path, record.encode(), -1);
      }
    } catch (KeeperException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Takes the record's data away, for long enough that every server reads it so. */
  void publishNothing() throws KeeperException, InterruptedException {
    client.setData(ManagerRecord.DEFAULT_PARENT + "/" + ManagerRecord.ZNODE, null, -1);
    Thread.sleep(500);
  }

  public static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + 60_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("waited in vain");
      }
      try {
        Thread.sleep(10);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
      cluster.shutdown();
      cluster.join();
      client.close();
      manager.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    zooKeeper.shutdown();
  }

  private void create(String path, byte[] data) throws KeeperException, InterruptedException {
    client.create(path, data, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
  }

  private Configuration settings(Path folder) {
    Configuration settings = HBaseConfiguration.create();
    settings.set("hbase.rootdir", folder.resolve("hbase").toUri().toString());
    settings.set("fs.defaultFS", "file:///");
    settings.set("fs.file.impl", PlainFiles.class.getName());
    settings.set("hbase.tmp.dir", folder.resolve("tmp").toString());
    settings.setBoolean("hbase.unsafe.stream.capability.enforce", false);
    settings.set("hbase.wal.provider", "filesystem");
    settings.set("hbase.master.hostname", LOOPBACK);
    settings.set("hbase.master.ipc.address", LOOPBACK);
    settings.set("hbase.unsafe.regionserver.hostname", LOOPBACK);
    settings.set("hbase.regionserver.ipc.address", LOOPBACK);
    settings.setInt("hbase.master.port", 0);
    settings.setInt("hbase.regionserver.port", 0);
    settings.setInt("hbase.master.info.port", -1);
    settings.setInt("hbase.regionserver.info.port", -1);
    settings.set("hbase.zookeeper.quorum", LOOPBACK);
    settings.setInt("hbase.zookeeper.property.clientPort", zooKeeper.getLocalPort());
    settings.setInt("zookeeper.session.timeout", SESSION_MILLIS);
    settings.set(
        "hbase.client.registry.impl", "org.apache.hadoop.hbase.client.ZKConnectionRegistry");
    settings.setInt("hbase.master.wait.on.regionservers.mintostart", SERVERS);
    settings.setInt("hbase.master.wait.on.regionservers.maxtostart", SERVERS);
    settings.setInt("hbase.master.wait.on.regionservers.interval", 50);
    // HBase gives a master 30 s by itself, which a busy machine may need.
    settings.setInt("hbase.master.start.timeout.localHBaseCluster", START_MILLIS);
    settings.setInt("hbase.regionserver.msginterval", 300);
    settings.setInt("hbase.client.retries.number", 2);
    settings.setInt("hbase.rpc.timeout", 8_000);
    settings.setInt("hbase.client.operation.timeout", 10_000);
    settings.setInt("hbase.client.scanner.timeout.period", 8_000);
    settings.setInt("hbase.regionserver.handler.count", handlers);
    // The hand-written manager answers no questions for a status.
    settings.setBoolean("lampone.healer.enabled", false);
    return settings;
  }
}
