package io.lampone.faultlab.work.sql;

import io.lampone.coprocessor.TableGuard;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;

/** Settings of a cluster on which Phoenix runs, and connections to it. */
public final class SqlConnections {

  /** Settings of servers and clients. */
  public static final Map<String, String> SETTINGS =
      Map.of(
          "hbase.coprocessor.master.classes",
          TableGuard.class.getName(),
          "phoenix.transactions.enabled",
          "true");

  /** Settings of clients: a statement must fail before a round ends. */
  private static final Map<String, String> BOUNDS =
      Map.of(
          "phoenix.query.timeoutMs", "30000",
          "hbase.rpc.timeout", "10000",
          "hbase.client.operation.timeout", "30000",
          "hbase.client.meta.operation.timeout", "30000",
          "hbase.client.scanner.timeout.period", "20000");

  private SqlConnections() {}

  /**
   * Returns a new connection.
   *
   * @param site hbase-site.xml of the cluster
   */
  public static Connection connect(Path site) throws SQLException {
    Configuration settings = new Configuration(false);
    settings.addResource(new org.apache.hadoop.fs.Path(site.toUri()));
    Properties properties = new Properties();
    settings.forEach(each -> properties.setProperty(each.getKey(), each.getValue()));
    properties.putAll(SETTINGS);
    properties.putAll(BOUNDS);
    String url =
        "jdbc:phoenix+zk:"
            + settings.get(HConstants.ZOOKEEPER_QUORUM, "").replace(":", "\\:")
            + ":"
            + settings.get(HConstants.ZOOKEEPER_CLIENT_PORT)
            + ":"
            + HConstants.DEFAULT_ZOOKEEPER_ZNODE_PARENT;
    return DriverManager.getConnection(url, properties);
  }
}
