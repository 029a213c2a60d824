package io.lampone.benchmarks.operations;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Rows of one comparison, in each of its tables: one column, values of one size. Every other row is
 * in the second region.
 */
final class Content {

  private static final byte[] FAMILY = {'f'};
  private static final byte[] QUALIFIER = {'q'};
  private static final int REGIONS = 2;

  /** Rows of a scan, if there are as many in a region. */
  private static final int ROWS_OF_A_SCAN = 500;

  private final byte[][] keys;
  private final byte[] value;

  /**
   * Creates the content of the rows.
   *
   * @param seed seed of the value, which does not compress
   */
  Content(Row owner, int rows, int valueBytes, long seed) {
    keys = new byte[rows][];
    for (int i = 0; i < rows; i++) {
      keys[i] =
          String.format(Locale.ROOT, "%d-%02d-%06d", i % REGIONS, owner.ordinal(), i)
              .getBytes(US_ASCII);
    }
    value = new byte[valueBytes];
    new Random(seed).nextBytes(value);
  }

  /** Returns the descriptor of a table for such rows. */
  static TableDescriptor table(TableName name) {
    return TableDescriptorBuilder.newBuilder(name)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
        .build();
  }

  /** Returns the first key of the second region. */
  static byte[] split() {
    return new byte[] {'1'};
  }

  /** Any row, each as often as the other. */
  byte[] anyKey(Worker worker) {
    return keys[worker.random().nextInt(keys.length)];
  }

  /** Returns a row; every other one lies in the second region. */
  byte[] key(int number) {
    return keys[number];
  }

  Get get(byte[] key) {
    return new Get(key).addFamily(FAMILY);
  }

  Put put(byte[] key) {
    return new Put(key).addColumn(FAMILY, QUALIFIER, value);
  }

  /** Writes every row once. */
  List<Put> all() {
    List<Put> puts = new ArrayList<>();
    for (byte[] key : keys) {
      puts.add(put(key));
    }
    return puts;
  }

  /** Neighbouring rows within one region. */
  Scan scan(Worker worker) {
    int rows = keys.length / REGIONS;
    int first = worker.random().nextInt(rows - rowsOfAScan() + 1);
    int region = worker.random().nextInt(REGIONS);
    return new Scan()
        .withStartRow(keys[region + REGIONS * first])
        .withStopRow(keys[region + REGIONS * (first + rowsOfAScan() - 1)], true)
        .setCaching(rowsOfAScan())
        .addFamily(FAMILY);
  }

  /** Checks the number of rows and their values: a short scan would appear fast. */
  void requireScanned(ResultScanner scanner) throws IOException {
    int shown = 0;
    for (Result result : scanner) {
      require(result);
      shown++;
    }
    if (shown != rowsOfAScan()) {
      throw new IOException(
          "a scan showed another number of rows, rows=" + shown + " expected=" + rowsOfAScan());
    }
  }

  private int rowsOfAScan() {
    return Math.min(ROWS_OF_A_SCAN, keys.length / REGIONS);
  }

  /** Checks the result of a read: an empty read would appear fast. */
  void require(Result result) throws IOException {
    byte[] found = result.getValue(FAMILY, QUALIFIER);
    if (found == null || found.length != value.length) {
      throw new IOException(
          "a read gave not the value that had been written, bytes="
              + (found == null ? "none" : Integer.toString(found.length))
              + " expected="
              + value.length
              + " result="
              + result);
    }
  }
}
