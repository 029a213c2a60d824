package io.lampone.sql.bench;

import io.lampone.benchmarks.ChildProtocol;
import io.lampone.benchmarks.report.Fields;
import io.lampone.cli.Logging;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.omid.committable.hbase.DefaultHBaseCommitTableStorageModule;
import org.apache.omid.committable.hbase.HBaseCommitTableConfig;
import org.apache.omid.tso.TSOServer;
import org.apache.omid.tso.TSOServerConfig;

/**
 * Omid's timestamp oracle with low latency: clients write the commit table, which is in the HBase
 * of the hbase-site.xml of its class path, and the oracle gathers nothing. All else is Omid's
 * default, but for the size of the conflict map.
 */
final class OmidOracleProcess {

  static final String PORT = "port";

  /** As many places as Lampone's conflict table has, instead of Omid's 100 million (1.6 GB). */
  private static final int CONFLICT_MAP_SIZE = 1 << 22;

  private OmidOracleProcess() {}

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) {
    Logging.toStandardError(false);
    ChildProtocol.holdAndHalt(OmidOracleProcess::hold);
  }

  private static void hold() throws Exception {
    DefaultHBaseCommitTableStorageModule commits = new DefaultHBaseCommitTableStorageModule();
    makeCommitTable(commits.getTableName());
    TSOServerConfig config = new TSOServerConfig();
    InetAddress here = InetAddress.getLoopbackAddress();
    try (ServerSocket free = new ServerSocket(0, 1, here)) { // Omid takes no port 0
      config.setPort(free.getLocalPort());
    }
    config.setNetworkIfaceName(NetworkInterface.getByInetAddress(here).getName());
    config.setConflictMapSize(CONFLICT_MAP_SIZE);
    config.setLowLatency(true);
    config.setCommitTableStoreModule(commits);
    TSOServer.getInitializedTsoServer(config).startAsync().awaitRunning();
    new ChildProtocol(System.in, System.out)
        .holdSilently(Fields.of("ready").with(PORT, config.getPort()));
  }

  /** As Omid's tool does it, but of one region. */
  private static void makeCommitTable(String name) throws IOException {
    HBaseCommitTableConfig families = new HBaseCommitTableConfig();
    try (Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
        Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(families.getCommitTableFamily()))
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(families.getLowWatermarkFamily()))
              .build());
    }
  }
}
