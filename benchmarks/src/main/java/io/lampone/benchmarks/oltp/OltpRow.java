package io.lampone.benchmarks.oltp;

import io.lampone.client.Transaction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Row of these benchmarks: a key of numbers, and columns of numbers and texts in one family. A
 * number has eight bytes; money is in cents.
 */
public final class OltpRow {

  private static final byte[] FAMILY = {'f'};

  private final Result result;

  private OltpRow(Result result) {
    this.result = result;
  }

  /** Returns the family of all columns. */
  static byte[] family() {
    return FAMILY.clone();
  }

  /** A row of a scan. */
  public static OltpRow of(Result result) {
    return new OltpRow(result);
  }

  /** The row of a key; empty if there is none. */
  public static Optional<OltpRow> read(Transaction transaction, TableName table, byte[] key)
      throws IOException {
    Result result = transaction.table(table).get(new Get(key).addFamily(FAMILY));
    return result.isEmpty() ? Optional.empty() : Optional.of(new OltpRow(result));
  }

  /**
   * Returns the row of a key that must exist.
   *
   * @throws IOException if it does not exist: the benchmark, or the system under test, is broken
   */
  public static OltpRow require(Transaction transaction, TableName table, byte[] key)
      throws IOException {
    return read(transaction, table, key)
        .orElseThrow(
            () ->
                new IOException(
                    "a row is missing, table=" + table + " key=" + Bytes.toStringBinary(key)));
  }

  /** Returns a scan of all rows with this key prefix. */
  public static Scan scan(byte[] prefix) {
    return new Scan().addFamily(FAMILY).setStartStopRowForPrefixScan(prefix);
  }

  /** A key of numbers from 0, which sorts as they do. */
  public static byte[] key(int... numbers) {
    ByteBuffer key = ByteBuffer.allocate(numbers.length * Integer.BYTES);
    for (int number : numbers) {
      if (number < 0) {
        throw new IllegalArgumentException("a key has no negative numbers, number=" + number);
      }
      key.putInt(number);
    }
    return key.array();
  }

  /** The key of a row that numbers begin, with a text behind them. */
  public static byte[] key(byte[] numbers, String text) {
    return Bytes.add(numbers, text.getBytes(StandardCharsets.UTF_8));
  }

  /** A write of a row. */
  public static Put put(byte[] key) {
    return new Put(key);
  }

  /** A number to be written. */
  public static Put set(Put put, String column, long number) {
    return put.addColumn(FAMILY, Bytes.toBytes(column), Bytes.toBytes(number));
  }

  /** A text to be written. */
  public static Put set(Put put, String column, String text) {
    return put.addColumn(FAMILY, Bytes.toBytes(column), Bytes.toBytes(text));
  }

  /** Removes a row. */
  public static Delete delete(byte[] key) {
    return new Delete(key).addFamily(FAMILY);
  }

  /** A number of the key, by its place. */
  public int keyNumber(int place) {
    return Bytes.toInt(result.getRow(), place * Integer.BYTES);
  }

  /** Returns true if it has this column. */
  public boolean has(String column) {
    return result.containsColumn(FAMILY, Bytes.toBytes(column));
  }

  /** A number. */
  public long number(String column) {
    return Bytes.toLong(value(column));
  }

  /** A text. */
  public String text(String column) {
    return Bytes.toString(value(column));
  }

  private byte[] value(String column) {
    byte[] value = result.getValue(FAMILY, Bytes.toBytes(column));
    if (value == null) {
      throw new IllegalStateException("a column is missing, column=" + column + " row=" + result);
    }
    return value;
  }
}
