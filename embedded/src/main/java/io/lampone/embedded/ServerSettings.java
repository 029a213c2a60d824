package io.lampone.embedded;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;

/** HBase settings of an embedded cluster: one host, one JVM, a short start. */
final class ServerSettings {

  private static final String LOOPBACK = "127.0.0.1";

  /** Effectively never: tests and demonstrations place regions themselves. */
  private static final int NEVER_MILLIS = Integer.MAX_VALUE;

  /** Share of the heap for the memstores of all servers; the application uses the same heap. */
  private static final float MEMSTORE_SHARE = 0.3f;

  /** Share of the heap for their block caches. */
  private static final float BLOCK_CACHE_SHARE = 0.2f;

  private ServerSettings() {}

  static Configuration create(
      EmbeddedHBaseConfig config, DataDirectory directory, EmbeddedZooKeeper zooKeeper) {
    Configuration settings = HBaseConfiguration.create();
    storage(settings, config, directory);
    network(settings, config, zooKeeper);
    start(settings, config);
    sizes(settings, config.regionServers());
    config.settings().forEach(settings::set);
    return settings;
  }

  private static void storage(
      Configuration settings, EmbeddedHBaseConfig config, DataDirectory directory) {
    settings.set("hbase.rootdir", new Path(directory.hbase().toUri()).toString());
    settings.set("fs.defaultFS", "file:///");
    settings.set("fs.file.impl", LocalFiles.class.getName());
    settings.set("hbase.tmp.dir", directory.temporary().toString());
    settings.set("hadoop.tmp.dir", directory.temporary().toString());
    // The local file system cannot give the guarantees of HDFS; syncToDisk requests the best it
    // has.
    settings.setBoolean("hbase.unsafe.stream.capability.enforce", false);
    settings.setBoolean("hbase.wal.hsync", config.syncToDisk());
    settings.setBoolean("hbase.hfile.hsync", config.syncToDisk());
    settings.set("hbase.wal.provider", "filesystem");
  }

  private static void network(
      Configuration settings, EmbeddedHBaseConfig config, EmbeddedZooKeeper zooKeeper) {
    settings.setBoolean("hbase.cluster.distributed", false);
    // A name would have to resolve to the address that the servers listen on; an address does not.
    String name = config.isPublished() ? "localhost" : LOOPBACK;
    String address = config.isPublished() ? "0.0.0.0" : LOOPBACK;
    settings.set("hbase.master.hostname", name);
    settings.set("hbase.master.ipc.address", address);
    settings.set("hbase.unsafe.regionserver.hostname", name);
    settings.set("hbase.regionserver.ipc.address", address);
    settings.setInt("hbase.master.port", config.masterPort());
    settings.setInt("hbase.regionserver.port", config.regionServerPort());
    settings.setInt("hbase.master.info.port", -1);
    settings.setInt("hbase.regionserver.info.port", -1);
    settings.set("hbase.zookeeper.quorum", LOOPBACK);
    settings.setInt("hbase.zookeeper.property.clientPort", zooKeeper.port());
    settings.setInt(
        "zookeeper.session.timeout", Math.toIntExact(config.zooKeeperSessionTimeout().toMillis()));
    // Clients find the cluster by ZooKeeper: the master's port changes with every start.
    settings.set(
        "hbase.client.registry.impl", "org.apache.hadoop.hbase.client.ZKConnectionRegistry");
  }

  private static void start(Configuration settings, EmbeddedHBaseConfig config) {
    // By default the master has 30 s, which is too little on a busy machine.
    settings.setLong(
        "hbase.master.start.timeout.localHBaseCluster", EmbeddedHBase.OPERATION_TIMEOUT.toMillis());
    settings.setInt("hbase.master.wait.on.regionservers.mintostart", config.regionServers());
    settings.setInt("hbase.master.wait.on.regionservers.maxtostart", config.regionServers());
    settings.setInt("hbase.master.wait.on.regionservers.interval", 50);
    // A server also waits this long before it reports to a master that was not up yet.
    settings.setInt("hbase.regionserver.msginterval", 300);
    settings.setInt("hbase.balancer.period", NEVER_MILLIS);
    settings.set("hbase.regionserver.abort.timeout.task", NoAbortTimer.class.getName());
    // The application chooses the time of the close; see EmbeddedHBase#close.
    settings.setBoolean("hbase.shutdown.hook", false);
  }

  private static void sizes(Configuration settings, int regionServers) {
    // Share of the heap, which every server regards as its own; one more may be started later.
    settings.setFloat("hbase.regionserver.global.memstore.size", MEMSTORE_SHARE / regionServers);
    settings.setFloat("hfile.block.cache.size", BLOCK_CACHE_SHARE / regionServers);
    settings.setInt("hbase.master.handler.count", 10);
    settings.setInt("hbase.regionserver.metahandler.count", 10);
  }
}
