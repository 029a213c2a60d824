package io.lampone.examples;

import io.lampone.client.LamponeClient;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** Shared parts of the examples: a connection, and a table of numbers. */
final class ExampleTable {

  static final byte[] FAMILY = Bytes.toBytes("f");
  static final byte[] VALUE = Bytes.toBytes("v");

  private ExampleTable() {}

  /**
   * Connects to the cluster of hbase-site.xml on the class path.
   *
   * @param args empty, or the ZooKeeper of another cluster as {@code host:port}
   */
  static LamponeClient connect(String... args) throws IOException {
    Configuration configuration = HBaseConfiguration.create();
    if (args.length > 0) {
      configuration.set("hbase.zookeeper.quorum", args[0]);
    }
    return LamponeClient.connect(configuration);
  }

  /** Creates a transactional table, unless it exists; conflicts are found by row. */
  static TableName create(LamponeClient client, String name) throws IOException {
    TableName table = TableName.valueOf(name);
    if (client.admin().listTables().stream().noneMatch(known -> known.name().equals(table))) {
      client
          .admin()
          .createTable(
              TableDescriptorBuilder.newBuilder(table)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                  .build(),
              ConflictLevel.ROW);
    }
    return table;
  }

  static Get get(String row) {
    return new Get(Bytes.toBytes(row));
  }

  static Put put(String row, long value) {
    return new Put(Bytes.toBytes(row)).addColumn(FAMILY, VALUE, Bytes.toBytes(value));
  }

  /** Returns the number in a row; 0 if there is none. */
  static long read(Table table, String row) throws IOException {
    return number(table.get(get(row)));
  }

  static long number(Result result) {
    byte[] value = result.getValue(FAMILY, VALUE);
    return value == null ? 0 : Bytes.toLong(value);
  }
}
