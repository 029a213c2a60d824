package io.lampone.benchmarks.compare;

import io.lampone.benchmarks.RegionPlacement;
import io.lampone.client.LamponeClient;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Creates a table of two regions for each contender. All first regions are on one server; otherwise
 * the ratio of two tables would be that of two servers.
 */
final class CompareTables {

  private CompareTables() {}

  static void create(Configuration configuration, List<SystemUnderTest> contenders, Clock clock)
      throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin();
        LamponeClient lampone = LamponeClient.connect(configuration)) {
      RegionPlacement placement = new RegionPlacement(connection, admin, clock);
      for (SystemUnderTest contender : contenders) {
        create(contender, lampone, placement);
      }
    }
  }

  private static void create(
      SystemUnderTest contender, LamponeClient lampone, RegionPlacement placement)
      throws IOException {
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
      placement.admin().createTable(table.build(), new byte[][] {split});
    }
    placement.place(name);
  }
}
