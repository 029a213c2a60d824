package io.lampone.embedded;

import com.codahale.metrics.MetricRegistry;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.protocol.ConflictLevel;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.util.Bytes;

/** HBase with two region servers, a transaction manager and a client, for integration tests. */
final class RunningCluster implements AutoCloseable {

  static final byte[] FAMILY = bytes("f");
  static final byte[] OTHER_FAMILY = bytes("g");
  static final byte[] COLUMN = bytes("q");

  private final EmbeddedHBase hbase;
  private final TransactionManagerServer manager;
  private final MetricRegistry managerMetrics;
  private final LamponeClient client;

  private RunningCluster(
      EmbeddedHBase hbase,
      TransactionManagerServer manager,
      MetricRegistry managerMetrics,
      LamponeClient client) {
    this.hbase = hbase;
    this.manager = manager;
    this.managerMetrics = managerMetrics;
    this.client = client;
  }

  static RunningCluster start(Path directory) throws IOException {
    return start(directory, manager -> manager);
  }

  /** Settings with HBase's authorizer, whose superuser is the user of this process. */
  static EmbeddedHBaseConfig.Builder authorizing(Path directory) throws IOException {
    String authorizer = AccessController.class.getName();
    return EmbeddedHBaseConfig.builder(directory)
        .setting("hbase.security.authorization", "true")
        .setting("hbase.superuser", User.getCurrent().getShortName())
        .setting("hbase.coprocessor.master.classes", authorizer)
        .setting("hbase.coprocessor.region.classes", authorizer)
        .setting("hbase.coprocessor.regionserver.classes", authorizer);
  }

  /** Starts a cluster with another configuration of its transaction manager. */
  static RunningCluster start(
      Path directory, UnaryOperator<TransactionManagerConfig.Builder> settings) throws IOException {
    EmbeddedHBase hbase =
        EmbeddedHBase.start(EmbeddedHBaseConfig.builder(directory).regionServers(2).build());
    try {
      Configuration configuration = hbase.configuration();
      String quorum =
          configuration.get(HConstants.ZOOKEEPER_QUORUM)
              + ":"
              + configuration.get(HConstants.ZOOKEEPER_CLIENT_PORT);
      MetricRegistry metrics = new MetricRegistry();
      TransactionManagerServer manager =
          TransactionManagerServer.start(
              settings
                  .apply(
                      TransactionManagerConfig.builder()
                          .bindHost("127.0.0.1")
                          .bindPort(0)
                          .advertisedHost("127.0.0.1")
                          .zookeeperQuorum(quorum))
                  .build(),
              metrics);
      manager.whenPrimary().get(1, TimeUnit.MINUTES);
      return new RunningCluster(hbase, manager, metrics, LamponeClient.connect(configuration));
    } catch (Exception e) {
      hbase.close();
      throw new IOException(e);
    }
  }

  EmbeddedHBase hbase() {
    return hbase;
  }

  LamponeClient client() {
    return client;
  }

  /** Returns the number of validations at the transaction manager; healers request none. */
  long validationsAsked() {
    return managerMetrics.getMeters().entrySet().stream()
        .filter(meter -> meter.getKey().contains("validations"))
        .mapToLong(meter -> meter.getValue().getCount())
        .sum();
  }

  /** Returns the number of start timestamps issued, including those for region servers. */
  long beginsAsked() {
    return managerMetrics.meter("lampone.tm.begins").getCount();
  }

  /** Another client of the same cluster, with some properties set. */
  LamponeClient connect(String... properties) throws IOException {
    Configuration configuration = new Configuration(hbase.configuration());
    for (int i = 0; i < properties.length; i += 2) {
      configuration.set(properties[i], properties[i + 1]);
    }
    return LamponeClient.connect(configuration);
  }

  TableName createTable(String name, ConflictLevel level, String... splits) throws IOException {
    TableName table = TableName.valueOf(name);
    byte[][] keys = new byte[splits.length][];
    for (int i = 0; i < splits.length; i++) {
      keys[i] = bytes(splits[i]);
    }
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(OTHER_FAMILY))
                .build(),
            level,
            keys);
    return table;
  }

  static void put(Transaction transaction, TableName table, String row, String value)
      throws IOException {
    transaction.table(table).put(putOf(row, value));
  }

  static Put putOf(String row, String value) {
    return new Put(bytes(row)).addColumn(FAMILY, COLUMN, bytes(value));
  }

  /** The value, or "-" if there is none. */
  static String get(Transaction transaction, TableName table, String row) throws IOException {
    byte[] value = transaction.table(table).get(new Get(bytes(row))).getValue(FAMILY, COLUMN);
    return value == null ? "-" : new String(value, StandardCharsets.UTF_8);
  }

  static byte[] bytes(String text) {
    return Bytes.toBytes(text);
  }

  @Override
  public void close() throws IOException {
    client.close();
    manager.close();
    hbase.close();
  }
}
