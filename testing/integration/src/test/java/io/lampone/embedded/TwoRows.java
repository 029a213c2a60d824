package io.lampone.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * A table with two regions and two rows of interest. {@link #LEADER} sorts first: a transaction
 * that writes both rows has its commit entry there.
 */
record TwoRows(TableName table) {

  static final String LEADER = "a";
  static final String FOLLOWER = "z";
  static final byte[] FAMILY = bytes("f");
  static final byte[] COLUMN = bytes("q");
  static final byte[] BORDER = bytes("m");
  static final String NOTHING = "nothing";

  /** Creates a table of the test's own, with faults around its observer. */
  static TwoRows create(LamponeClient client, Connection connection, String name)
      throws IOException {
    TwoRows rows = new TwoRows(TableName.valueOf(name));
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(rows.table())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.ROW,
            BORDER);
    FaultyObserver.install(connection, rows.table());
    return rows;
  }

  boolean isIn(org.apache.hadoop.hbase.client.RegionInfo region) {
    return region.getTable().equals(table);
  }

  static boolean isLeader(Bytes row) {
    return row.equals(Bytes.utf8(LEADER));
  }

  void put(Transaction tx, String row, String value) throws IOException {
    try (Table t = tx.table(table)) {
      t.put(new Put(bytes(row)).addColumn(FAMILY, COLUMN, bytes(value)));
    }
  }

  void putBoth(Transaction tx, String value) throws IOException {
    put(tx, LEADER, value);
    put(tx, FOLLOWER, value);
  }

  /** Commits a value in both rows. */
  void write(LamponeClient client, String value) throws IOException {
    client.run(
        tx -> {
          putBoth(tx, value);
          return null;
        });
  }

  String get(Transaction tx, String row) throws IOException {
    try (Table t = tx.table(table)) {
      Result result = t.get(new Get(bytes(row)));
      return result.isEmpty() ? NOTHING : new String(result.getValue(FAMILY, COLUMN), UTF_8);
    }
  }

  /** Returns both rows as seen by a transaction that begins now, the follower first. */
  String read(LamponeClient client) throws IOException {
    try (Transaction tx = client.readOnly()) {
      String follower = get(tx, FOLLOWER);
      return get(tx, LEADER) + " " + follower;
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
