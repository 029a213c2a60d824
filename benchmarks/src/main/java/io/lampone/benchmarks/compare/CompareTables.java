package io.lampone.benchmarks.compare;

import io.lampone.client.LamponeClient;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Creates a table of two regions for each contender. All first regions are on one server; otherwise
 * the ratio of two tables would be that of two servers.
 */
final class CompareTables {

  private static final Duration PLACEMENT_TIMEOUT = Duration.ofMinutes(3);
  private static final long POLL_MILLIS = 20;

  private final Connection connection;
  private final Admin admin;
  private final Clock clock;

  private CompareTables(Connection connection, Admin admin, Clock clock) {
    this.connection = connection;
    this.admin = admin;
    this.clock = clock;
  }

  static void create(Configuration configuration, List<SystemUnderTest> contenders, Clock clock)
      throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin();
        LamponeClient lampone = LamponeClient.connect(configuration)) {
      CompareTables tables = new CompareTables(connection, admin, clock);
      for (SystemUnderTest contender : contenders) {
        tables.create(contender, lampone);
      }
    }
  }

  private void create(SystemUnderTest contender, LamponeClient lampone) throws IOException {
    TableName name = TableName.valueOf(contender.table());
    ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(Rows.family());
    if (contender.isOmid()) {
      // Omid keeps transactions as versions: its manual requires all of them.
      family.setMaxVersions(Integer.MAX_VALUE).setValue("OMID_ENABLED", Boolean.toString(true));
    }
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(name).setColumnFamily(family.build());
    byte[] split = Bytes.toBytes(Rows.SPLIT);
    if (contender.isLampone()) {
      lampone.admin().createTable(table.build(), ConflictLevel.CELL, split);
    } else {
      admin.createTable(table.build(), new byte[][] {split});
    }
    List<ServerName> servers = admin.getRegionServers().stream().sorted().toList();
    List<RegionInfo> regions = admin.getRegions(name).stream().sorted().toList();
    for (int i = 0; i < regions.size(); i++) {
      place(regions.get(i), servers.get(i % servers.size()));
    }
  }

  private void place(RegionInfo region, ServerName server) throws IOException {
    if (isAt(region, server)) {
      return;
    }
    admin.move(region.getEncodedNameAsBytes(), server);
    long begun = clock.monotonicNanos();
    while (!isAt(region, server)) {
      if (clock.monotonicNanos() - begun > PLACEMENT_TIMEOUT.toNanos()) {
        throw new IOException("a region did not move, region=" + region + " server=" + server);
      }
      try {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw (IOException) new InterruptedIOException("interrupted").initCause(e);
      }
    }
  }

  private boolean isAt(RegionInfo region, ServerName server) throws IOException {
    try (RegionLocator locator = connection.getRegionLocator(region.getTable())) {
      byte[] start = region.getStartKey();
      byte[] row = start.length == 0 ? HConstants.EMPTY_START_ROW : start;
      return server.equals(locator.getRegionLocation(row, true).getServerName());
    }
  }
}
