package io.lampone.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Short run of a cluster, which loads the classes that a start needs. With {@code
 * -XX:ArchiveClassesAtExit} it creates the class archive that speeds up later starts.
 */
final class Rehearsal {

  private Rehearsal() {}

  /** Runs the cluster. The only argument is a folder for the data; the caller deletes it. */
  public static void main(String[] args) throws IOException {
    EmbeddedHBaseConfig config = EmbeddedHBaseConfig.builder(Path.of(args[0])).build();
    TableName name = TableName.valueOf("rehearsal");
    byte[] bytes = "r".getBytes(UTF_8);
    try (EmbeddedHBase hbase = EmbeddedHBase.start(config);
        Connection connection = ConnectionFactory.createConnection(hbase.configuration());
        Admin admin = connection.getAdmin();
        Table table = connection.getTable(name)) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(name)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(bytes))
              .build());
      table.put(new Put(bytes).addColumn(bytes, bytes, bytes));
      table.get(new Get(bytes));
    }
  }
}
