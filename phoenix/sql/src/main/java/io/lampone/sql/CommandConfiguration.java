package io.lampone.sql;

import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.phoenix.query.ConfigurationFactory;
import org.apache.phoenix.query.QueryServices;

/** Gives Phoenix's client the settings of the command, which it would else take from a file. */
public final class CommandConfiguration implements ConfigurationFactory {

  /** Settings of the cluster that this process works on. */
  private static final AtomicReference<Configuration> SETTINGS = new AtomicReference<>();

  /** From now on connections are made with these settings, and transactions are enabled. */
  static void use(Configuration settings) {
    Configuration copy = new Configuration(settings);
    copy.setBoolean(QueryServices.TRANSACTIONS_ENABLED, true);
    SETTINGS.set(copy);
  }

  /**
   * The URL of the cluster. It names ZooKeeper: of the settings Phoenix remembers the first for all
   * clusters of a process.
   */
  static String url() {
    Configuration known = new CommandConfiguration().getConfiguration();
    String quorum = known.get(HConstants.ZOOKEEPER_QUORUM, HConstants.LOCALHOST);
    int port =
        known.getInt(HConstants.ZOOKEEPER_CLIENT_PORT, HConstants.DEFAULT_ZOOKEEPER_CLIENT_PORT);
    String parent =
        known.get(HConstants.ZOOKEEPER_ZNODE_PARENT, HConstants.DEFAULT_ZOOKEEPER_ZNODE_PARENT);
    return "jdbc:phoenix+zk:" + quorum.replace(":", "\\:") + ":" + port + ":" + parent;
  }

  @Override
  public Configuration getConfiguration() {
    Configuration known = SETTINGS.get();
    return known == null ? HBaseConfiguration.create() : new Configuration(known);
  }

  @Override
  public Configuration getConfiguration(Configuration cloned) {
    return HBaseConfiguration.create(cloned);
  }
}
