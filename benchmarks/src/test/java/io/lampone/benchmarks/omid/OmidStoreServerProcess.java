package io.lampone.benchmarks.omid;

import io.lampone.benchmarks.ChildProtocol;
import io.lampone.benchmarks.compare.SystemClientProtocol;
import io.lampone.benchmarks.compare.SystemUnderTest;
import io.lampone.benchmarks.report.Fields;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
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
 * Omid's timestamp oracle in its default installation: timestamps from the clock and a commit table
 * in HBase, which it creates. Arguments: the name of a {@link SystemUnderTest}, and the address of
 * ZooKeeper, which is also in the hbase-site.xml of the class path, from which Omid reads it.
 */
public final class OmidStoreServerProcess {

  /** Middle of the keys, which are from 0 to the largest signed number: two regions. */
  private static final byte[] COMMIT_TABLE_SPLIT = {0x40};

  private OmidStoreServerProcess() {}

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    SystemUnderTest contender = SystemUnderTest.valueOf(arguments[0]);
    makeCommitTable(SystemClientProtocol.configuration(arguments[1]), contender);
    TSOServerConfig config = config(contender);
    TSOServer server = TSOServer.getInitializedTsoServer(config);
    server.startAsync().awaitRunning();
    new ChildProtocol(System.in, System.out)
        .holdSilently(Fields.of("ready").with("port", config.getPort()));
    Runtime.getRuntime().halt(0);
  }

  /** Returns the commit table of a set-up: two oracles must not share commits. */
  static String commitTable(SystemUnderTest contender) {
    return "OMID_COMMITS_" + contender.name();
  }

  /** Creates the table as Omid's {@code OmidTableManager} does, with two regions instead of 16. */
  private static void makeCommitTable(Configuration configuration, SystemUnderTest contender)
      throws IOException {
    HBaseCommitTableConfig config = new HBaseCommitTableConfig();
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(TableName.valueOf(commitTable(contender)))
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(config.getCommitTableFamily()))
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(config.getLowWatermarkFamily()))
              .build(),
          new byte[][] {COMMIT_TABLE_SPLIT});
    }
  }

  private static TSOServerConfig config(SystemUnderTest contender) throws Exception {
    OmidSetup setup =
        switch (contender) {
          case OMID_ONE_MILLISECOND -> OmidSetup.ONE_MILLISECOND;
          case OMID_LOW_LATENCY -> OmidSetup.LOW_LATENCY;
          default -> OmidSetup.DEFAULT;
        };
    TSOServerConfig config = new TSOServerConfig();
    config.setPort(OmidServerProcess.freePort());
    config.setNetworkIfaceName(OmidServerProcess.loopbackName());
    config.setConflictMapSize(OmidServerProcess.CONFLICT_MAP_SIZE);
    config.setBatchPersistTimeoutInMs(setup.batchTimeoutMillis());
    config.setLowLatency(setup.lowLatency());
    config.setWaitStrategy(setup.waitStrategy());
    DefaultHBaseCommitTableStorageModule commits = new DefaultHBaseCommitTableStorageModule();
    commits.setTableName(commitTable(contender));
    config.setCommitTableStoreModule(commits);
    return config;
  }
}
