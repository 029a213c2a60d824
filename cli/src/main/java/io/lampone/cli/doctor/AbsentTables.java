package io.lampone.cli.doctor;

import io.lampone.hbase.TableSettings;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;

/**
 * Tables that hold no commit entries for good: HBase's catalogue does not have them, or they have
 * been made plain (ADR 47). Each is looked up once. One thread.
 */
final class AbsentTables {

  private final Connection connection;
  private final Map<String, Boolean> known = new HashMap<>();

  AbsentTables(Connection connection) {
    this.connection = connection;
  }

  boolean contains(String table) throws IOException {
    Boolean dropped = known.get(table);
    if (dropped == null) {
      try (Admin admin = connection.getAdmin()) {
        TableName name = TableName.valueOf(table);
        dropped = !admin.tableExists(name) || TableSettings.isPlain(admin.getDescriptor(name));
      }
      known.put(table, dropped);
    }
    return dropped;
  }
}
