package io.lampone.benchmarks.scale;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lampone.client.LamponeClient;
import io.lampone.embedded.EmbeddedHBase;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Pairs of tables with the same rows, one plain and one transactional. Both are filled by plain
 * puts, and the latter then enabled, so that filling a million rows is as fast as in plain HBase.
 */
final class ScaleTables {

  /** Regions of each table. One of three servers has two of them: moving more takes long. */
  private static final int REGIONS = 4;

  /** Rows in a message while a table is filled. */
  private static final int BATCH = 2_000;

  private static final byte[] FAMILY = {'f'};
  private static final byte[] QUALIFIER = {'q'};

  private final EmbeddedHBase hbase;
  private final Connection connection;
  private final LamponeClient client;
  private final byte[] value;

  /** Pair of tables. */
  record Pair(TableName plain, TableName transactional, int rows) {}

  ScaleTables(EmbeddedHBase hbase, Connection connection, LamponeClient client, int valueBytes) {
    this.hbase = hbase;
    this.connection = connection;
    this.client = client;
    this.value = new byte[valueBytes];
    new Random(valueBytes).nextBytes(value);
  }

  /** Creates and fills both. */
  Pair create(int rows) throws IOException {
    Pair pair =
        new Pair(
            TableName.valueOf("scale-plain-" + rows),
            TableName.valueOf("scale-transactional-" + rows),
            rows);
    try (Admin admin = connection.getAdmin()) {
      for (TableName name : List.of(pair.plain(), pair.transactional())) {
        admin.createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            splits(rows));
        fill(name, rows);
        admin.flush(name);
      }
    }
    client.admin().enableTable(pair.transactional(), ConflictLevel.CELL);
    spread(pair, hbase.regionServerCount());
    return pair;
  }

  /** Lays the regions of both on the first so many servers, in turns. */
  void spread(Pair pair, int servers) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (TableName name : List.of(pair.plain(), pair.transactional())) {
        List<RegionInfo> regions = admin.getRegions(name).stream().sorted().toList();
        for (int i = 0; i < regions.size(); i++) {
          hbase.moveRegion(regions.get(i), i % servers);
        }
      }
    }
  }

  private static byte[][] splits(int rows) {
    byte[][] splits = new byte[REGIONS - 1][];
    for (int i = 1; i < REGIONS; i++) {
      splits[i - 1] = key((int) ((long) rows * i / REGIONS));
    }
    return splits;
  }

  private void fill(TableName name, int rows) throws IOException {
    try (Table table = connection.getTable(name)) {
      List<Put> batch = new ArrayList<>();
      for (int row = 0; row < rows; row++) {
        batch.add(put(row));
        if (batch.size() == BATCH || row + 1 == rows) {
          table.put(batch);
          batch.clear();
        }
      }
    }
  }

  Put put(int row) {
    return new Put(key(row)).addColumn(FAMILY, QUALIFIER, value);
  }

  Get get(int row) {
    return new Get(key(row)).addFamily(FAMILY);
  }

  /**
   * Checks the result of a read: an empty read would appear fast.
   *
   * @throws IOException if the result differs from the written value
   */
  void require(Result result) throws IOException {
    byte[] found = result.getValue(FAMILY, QUALIFIER);
    if (found == null || !Bytes.equals(found, value)) {
      throw new IOException("a read gave not what had been written, result=" + result);
    }
  }

  private static byte[] key(int row) {
    return String.format(Locale.ROOT, "%08d", row).getBytes(US_ASCII);
  }
}
