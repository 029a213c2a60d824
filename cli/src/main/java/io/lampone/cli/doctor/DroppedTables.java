package io.lampone.cli.doctor;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;

/** Which tables HBase's catalogue does not have; each is asked for once. One thread. */
final class DroppedTables {

  private final Connection connection;
  private final Map<String, Boolean> known = new HashMap<>();

  DroppedTables(Connection connection) {
    this.connection = connection;
  }

  boolean contains(String table) throws IOException {
    Boolean dropped = known.get(table);
    if (dropped == null) {
      try (Admin admin = connection.getAdmin()) {
        dropped = !admin.tableExists(TableName.valueOf(table));
      }
      known.put(table, dropped);
    }
    return dropped;
  }
}
