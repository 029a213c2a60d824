package io.lampone.coprocessor.server;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;

/** A region server that has stopped, and has no ZooKeeper: its context runs nothing for long. */
public final class StoppedServer implements AutoCloseable {

  private static final AtomicInteger STARTS = new AtomicInteger();

  private final ServerName name = ServerName.valueOf("stopped", 1, STARTS.incrementAndGet());
  private final ZKWatcher zooKeeper;
  private final ServerContext context;

  public StoppedServer() throws IOException {
    Configuration configuration = HBaseConfiguration.create();
    configuration.set(HConstants.ZOOKEEPER_QUORUM, "127.0.0.1");
    configuration.setInt(HConstants.ZOOKEEPER_CLIENT_PORT, 1);
    zooKeeper = new ZKWatcher(configuration, name.toString(), null, false);
    context = ServerContext.of(new ConcurrentHashMap<>(), services(), LocalVersionClock::new);
  }

  public ServerContext context() {
    return context;
  }

  private RegionServerServices services() {
    return (RegionServerServices)
        Proxy.newProxyInstance(
            StoppedServer.class.getClassLoader(),
            new Class<?>[] {RegionServerServices.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getZooKeeper" -> zooKeeper;
                  case "getConfiguration" -> zooKeeper.getConfiguration();
                  case "getServerName" -> name;
                  case "isStopped" -> true;
                  default -> null;
                });
  }

  @Override
  public void close() {
    zooKeeper.close();
  }
}
