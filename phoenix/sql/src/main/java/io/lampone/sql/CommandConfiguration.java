package io.lampone.sql;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.phoenix.query.ConfigurationFactory;
import org.apache.phoenix.query.HBaseFactoryProvider;
import org.apache.phoenix.query.QueryServices;
import org.apache.phoenix.util.InstanceResolver;

/** Gives Phoenix's client the settings of the command, which it would else take from a file. */
final class CommandConfiguration implements ConfigurationFactory {

  private final Configuration settings;

  private CommandConfiguration(Configuration settings) {
    this.settings = settings;
  }

  /**
   * From now on connections are made with these settings, and transactions are enabled. Phoenix
   * keeps the factory.
   */
  static void use(Configuration settings) {
    Configuration copy = new Configuration(settings);
    copy.setBoolean(QueryServices.TRANSACTIONS_ENABLED, true);
    copy.setBoolean(QueryServices.PENDING_MUTATIONS_DDL_THROW_ATTRIB, true); // else it drops them
    InstanceResolver.clearSingletons();
    InstanceResolver.getSingleton(ConfigurationFactory.class, new CommandConfiguration(copy));
  }

  /**
   * The URL of the cluster. It names ZooKeeper: of the settings Phoenix remembers the first for all
   * clusters of a process.
   */
  static String url() {
    Configuration known = HBaseFactoryProvider.getConfigurationFactory().getConfiguration();
    String quorum = known.get(HConstants.ZOOKEEPER_QUORUM, HConstants.LOCALHOST);
    int port =
        known.getInt(HConstants.ZOOKEEPER_CLIENT_PORT, HConstants.DEFAULT_ZOOKEEPER_CLIENT_PORT);
    String parent =
        known.get(HConstants.ZOOKEEPER_ZNODE_PARENT, HConstants.DEFAULT_ZOOKEEPER_ZNODE_PARENT);
    return "jdbc:phoenix+zk:" + quorum.replace(":", "\\:") + ":" + port + ":" + parent;
  }

  @Override
  public Configuration getConfiguration() {
    return new Configuration(settings);
  }

  @Override
  public Configuration getConfiguration(Configuration cloned) {
    return HBaseConfiguration.create(cloned);
  }
}
