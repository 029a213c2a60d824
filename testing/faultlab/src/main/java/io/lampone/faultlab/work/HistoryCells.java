package io.lampone.faultlab.work;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Mapping of the keys of a history to cells, and the content of the cells. Two keys share a row;
 * rows are spread over the table, so that transactions meet in one row, in one region and across
 * servers. A workload of two tables has the same rows in both: the high bits of a key denote the
 * table.
 */
public final class HistoryCells {

  /** Column family of the keys of histories. */
  public static final String FAMILY = "f";

  /** Mapping of a key to a cell, for the headers of histories. */
  public static final String RULE =
      "table=split(table,',')[key>>40] k=key%2**40"
          + " row=sprintf('%02x-%08d',((k/32*2654435761)>>16)%256,k>>1) family=f"
          + " qualifier='q'+(k&1) value=8 bytes, big-endian, for each element";

  private static final List<String> SPLITS = List.of("40", "80", "c0");

  private static final byte[] FAMILY_BYTES = FAMILY.getBytes(StandardCharsets.UTF_8);

  /** Family of columns that are not part of a history: it is deleted as a whole. */
  private static final byte[] SECOND_BYTES = "g".getBytes(StandardCharsets.UTF_8);

  private static final int BUCKETS = 256;

  /** In a key, the number of its table is above these bits. */
  private static final int TABLE_SHIFT = 40;

  /** From a key to that of the same cell in the next table. */
  private static final long TWIN = 1L << TABLE_SHIFT;

  /** Number of keys, of half as many rows, in a group: a scan can read them and no others. */
  public static final int GROUP = 32;

  /** Multiplier of Knuth's hash: neighbours lie far from each other. */
  private static final long SPREAD = 2_654_435_761L;

  private static final int SPREAD_SHIFT = 16;
  private static final int ROW_PREFIX = 3;

  private HistoryCells() {}

  /** Returns the initial split points of the regions. */
  public static List<String> splits() {
    return SPLITS;
  }

  /** Returns the key of a column, 0 or 1, of a row that is alone in its group. */
  public static long lone(long row, int column) {
    return GROUP * row + column;
  }

  /** The key of the same cell in one of the workload's tables, by its number from 0. */
  public static long in(int table, long key) {
    return table * TWIN + key % TWIN;
  }

  /** The largest key of one of the workload's tables, by its number from 0. */
  static long last(int table) {
    return in(table, TWIN - 1);
  }

  /** The number of a key's table. */
  public static int table(long key) {
    return (int) (key >> TABLE_SHIFT);
  }

  /** The row of a key, which is the same in each table. */
  public static byte[] row(long key) {
    long first = in(0, key);
    long pair = first >> 1;
    long bucket = (first / GROUP * SPREAD >>> SPREAD_SHIFT) % BUCKETS;
    return String.format(Locale.ROOT, "%02x-%08d", bucket, pair).getBytes(StandardCharsets.UTF_8);
  }

  /** The family, to be read only. */
  public static byte[] family() {
    return FAMILY_BYTES.clone();
  }

  /** The other family of each table, which no key lies in. */
  public static byte[] second() {
    return SECOND_BYTES.clone();
  }

  /** The column of a key. */
  public static byte[] qualifier(long key) {
    return ("q" + (key & 1)).getBytes(StandardCharsets.UTF_8);
  }

  /** The key of a row and a column of a table, by its number. */
  public static long key(int table, byte[] row, byte[] qualifier) {
    String text = new String(row, StandardCharsets.UTF_8);
    long pair = Long.parseLong(text.substring(ROW_PREFIX));
    return in(table, 2 * pair + (qualifier[qualifier.length - 1] - '0'));
  }

  /** Eight bytes for each element, in order; a register is a list of one. */
  public static byte[] bytes(List<Long> elements) {
    ByteBuffer buffer = ByteBuffer.allocate(Long.BYTES * elements.size());
    elements.forEach(buffer::putLong);
    return buffer.array();
  }

  /**
   * Returns the elements that {@link #bytes} has written; none if {@code value} is null or empty.
   */
  public static List<Long> elements(byte @Nullable [] value) {
    List<Long> elements = new ArrayList<>();
    if (value != null) {
      ByteBuffer buffer = ByteBuffer.wrap(value);
      while (buffer.remaining() >= Long.BYTES) {
        elements.add(buffer.getLong());
      }
      if (buffer.hasRemaining()) {
        throw new IllegalStateException("a cell holds no list, bytes=" + value.length);
      }
    }
    return elements;
  }
}
