package io.lampone.faultlab.fault;

import io.lampone.cluster.ClusterPlan;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tmclient.ClientProperties;
import io.lampone.tmclient.TransactionManagerClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.Size;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.Bytes;

/** Operations on regions, as an administrator or HBase itself performs them. */
final class Regions implements AutoCloseable {

  private static final int RPC_MILLIS = 5_000;
  private static final int OPERATION_MILLIS = 10_000;
  private static final int RETRIES = 3;
  private static final long BOUND_SECONDS = 20;
  private static final int MOST_REGIONS = 12;

  private final Configuration configuration;
  private final Connection connection;

  /** Written before the faults of a round begin, whose threads read it. */
  private volatile List<TableName> tables = List.of();

  Regions(Path site) throws IOException {
    this.configuration = HBaseConfiguration.create();
    configuration.addResource(new org.apache.hadoop.fs.Path(site.toUri()));
    // A fault fails rather than waits.
    configuration.setInt("hbase.rpc.timeout", RPC_MILLIS);
    configuration.setInt("hbase.client.operation.timeout", OPERATION_MILLIS);
    configuration.setInt("hbase.client.meta.operation.timeout", OPERATION_MILLIS);
    configuration.setInt("hbase.client.retries.number", RETRIES);
    this.connection = ConnectionFactory.createConnection(configuration);
  }

  /** From now on these are meant. */
  void use(List<TableName> chosen) {
    tables = List.copyOf(chosen);
  }

  /**
   * A client that attacks the tables.
   *
   * @param alone true if there are no other faults
   */
  HostileClient hostile(String quorum, int seed, boolean alone) {
    Configuration stranger = new Configuration(configuration);
    stranger.set("lampone.client.manager.tenant", ClusterPlan.STRANGER);
    if (stranger.get("lampone.client.manager.principal") != null) {
      stranger.set("lampone.client.manager.principal", ClusterPlan.STRANGER);
    }
    Flood flood =
        new Flood(
            manager(stranger, quorum),
            manager(configuration, quorum),
            seed,
            alone,
            SystemClock.INSTANCE);
    return new HostileClient(
        connection, tables, manager(configuration, quorum), flood, seed, alone);
  }

  private static TransactionManagerClient manager(Configuration settings, String quorum) {
    return TransactionManagerClient.connect(
        ClientProperties.read(settings::getTrimmed).build(), quorum, ManagerRecord.DEFAULT_PARENT);
  }

  /** Moves a region to another server. */
  void move(int choice) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      RegionInfo region = any(admin.getRegions(table(choice)), choice);
      ServerName from =
          connection
              .getRegionLocator(region.getTable())
              .getRegionLocation(region.getStartKey(), true)
              .getServerName();
      List<ServerName> others = new ArrayList<>(admin.getRegionServers());
      others.remove(from);
      if (others.isEmpty()) {
        throw new IOException("there is no other server");
      }
      admin.move(region.getEncodedNameAsBytes(), any(others, choice));
    }
  }

  /**
   * Splits a region in the middle of its range of rows. Three times of four it is one of the table
   * with the largest region, as in HBase: requests there have many rows, and meet both daughters.
   */
  void split(int choice) throws IOException, InterruptedException {
    try (Admin admin = connection.getAdmin()) {
      TableName table = choice % 4 > 0 ? largest(admin) : table(choice / 4);
      List<RegionInfo> regions = admin.getRegions(table);
      if (regions.size() >= MOST_REGIONS) {
        throw new IOException("enough regions, count=" + regions.size());
      }
      RegionInfo region = any(regions, choice);
      byte[] first = region.getStartKey().length == 0 ? Bytes.toBytes("00") : region.getStartKey();
      byte[] last = region.getEndKey().length == 0 ? Bytes.toBytes("ff") : region.getEndKey();
      byte[][] middle = Bytes.split(first, last, 1);
      if (middle == null || middle.length <= 1) {
        throw new IOException("too narrow to be split, region=" + region.getEncodedName());
      }
      await(admin.splitRegionAsync(region.getRegionName(), middle[1]));
    }
  }

  /** Merges two neighbours. */
  void merge(int choice) throws IOException, InterruptedException {
    try (Admin admin = connection.getAdmin()) {
      List<RegionInfo> regions = admin.getRegions(table(choice));
      if (regions.size() <= 1) {
        throw new IOException("there is one region only");
      }
      int first = choice % (regions.size() - 1);
      byte[][] both = {regions.get(first).getRegionName(), regions.get(first + 1).getRegionName()};
      await(admin.mergeRegionsAsync(both, false));
    }
  }

  void flush() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (TableName table : tables) {
        admin.flush(table);
      }
    }
  }

  void compact() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (TableName table : tables) {
        admin.flush(table);
        admin.majorCompact(table);
      }
    }
  }

  /** Flushes a table and compacts it down to one file in each region. */
  void collect(int choice) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      admin.flush(table(choice));
      admin.majorCompact(table(choice));
    }
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }

  private TableName table(int choice) {
    return tables.get(choice % tables.size());
  }

  /** Returns the table with the largest region. */
  private TableName largest(Admin admin) throws IOException {
    TableName largest = tables.get(0);
    double most = -1;
    for (ServerName server : admin.getRegionServers()) {
      for (TableName table : tables) {
        for (RegionMetrics region : admin.getRegionMetrics(server, table)) {
          double size =
              region.getStoreFileSize().get(Size.Unit.BYTE)
                  + region.getMemStoreSize().get(Size.Unit.BYTE);
          if (size > most) {
            most = size;
            largest = table;
          }
        }
      }
    }
    return largest;
  }

  private static <T> T any(List<T> all, int choice) {
    return all.get(choice / 7 % all.size());
  }

  private static void await(Future<?> done) throws IOException, InterruptedException {
    try {
      done.get(BOUND_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("refused or too slow: " + e.getMessage(), e);
    }
  }
}
