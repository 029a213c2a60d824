package io.lampone.coprocessor.server;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fence.ManagerRecordSource;
import io.lampone.coprocessor.core.fence.TableGeneration;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;

/** A region server that has stopped, and has no ZooKeeper: its context runs nothing for long. */
public final class StoppedServer implements AutoCloseable {

  private static final AtomicInteger STARTS = new AtomicInteger();

  private final ServerName name = ServerName.valueOf("stopped", 1, STARTS.incrementAndGet());
  private final ZKWatcher zooKeeper;
  private final ServerContext context;

  public StoppedServer() throws IOException {
    this(HBaseConfiguration.create(), answer -> answer.failed("stopped"));
  }

  /**
   * @param node source of the transaction manager's record
   */
  public StoppedServer(Configuration configuration, ManagerRecordSource node) throws IOException {
    configuration.set(HConstants.ZOOKEEPER_QUORUM, "127.0.0.1");
    configuration.setInt(HConstants.ZOOKEEPER_CLIENT_PORT, 1);
    zooKeeper = new ZKWatcher(configuration, name.toString(), null, false);
    context =
        ServerContext.of(new ConcurrentHashMap<>(), services(), () -> node, LocalVersionClock::new);
  }

  public ServerContext context() {
    return context;
  }

  /** Returns what is known of a table whose generation has a floor. */
  public GenerationLearner generation(TableName table, long floor) {
    TableGeneration.Store stored =
        new TableGeneration.Store() {
          @Override
          public long generation() {
            return 1;
          }

          @Override
          public Optional<TableGeneration.Entry> read() {
            return Optional.of(new TableGeneration.Entry(1, floor));
          }

          @Override
          public boolean replace(TableGeneration.Entry next) {
            return false;
          }
        };
    TableGeneration generation = new TableGeneration(stored, null);
    return new GenerationLearner(table, generation, context.ticks(), Runnable::run);
  }

  public RegionServerServices services() {
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
