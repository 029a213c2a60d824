package org.apache.phoenix.transaction;

import io.lampone.hbase.HadoopTokens;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.phoenix.jdbc.ConnectionInfo;

/**
 * Stands before the class of this name in Phoenix's tests, which starts Omid's server: starts
 * Lampone's transaction manager in its place.
 */
public final class TransactionServiceManager {

  private TransactionServiceManager() {}

  /** Called by Phoenix's tests, for the first transaction on a cluster. */
  public static PhoenixTransactionService startTransactionService(
      TransactionFactory.Provider provider, Configuration config, ConnectionInfo info, int port)
      throws SQLException {
    Configuration own = new Configuration(config);
    for (Map.Entry<String, String> property : info.asProps()) {
      own.set(property.getKey(), property.getValue());
    }
    own.set(
        HConstants.ZOOKEEPER_QUORUM,
        own.get(HConstants.CLIENT_ZOOKEEPER_QUORUM, own.get(HConstants.ZOOKEEPER_QUORUM)));
    TransactionManagerServer server;
    try {
      server =
          TransactionManagerServer.start(
              TransactionManagerConfig.builder()
                  .bindHost("127.0.0.1")
                  .bindPort(0)
                  .zookeeperQuorum(HadoopTokens.zookeeperQuorum(own))
                  .build(),
              new com.codahale.metrics.MetricRegistry());
      server.whenPrimary().get(1, TimeUnit.MINUTES);
    } catch (Exception e) {
      throw new SQLException("the transaction manager does not start", e);
    }
    return server::close;
  }
}
