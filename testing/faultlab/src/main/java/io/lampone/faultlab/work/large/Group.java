package io.lampone.faultlab.work.large;

import io.lampone.faultlab.work.HistoryCells;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.apache.hadoop.hbase.client.Scan;

/**
 * A group of rows: a header row, whose register is a key of the history, followed by the number of
 * rows that the content of the register implies, in all tables in turn. Each transaction that
 * changes a group rewrites all of it.
 *
 * @param number from 0
 */
public record Group(int number) {

  /** Tables of the workload. */
  public static final int TABLES = 3;

  /** Groups without rows besides the header: those that the fast path writes, too. */
  public static final int LONE = 8;

  /** All groups. */
  public static final int COUNT = 32;

  private static final int LARGE = 12;
  private static final int MEDIUM = 22;
  private static final int LARGE_ROWS = 5_000;
  private static final int MEDIUM_ROWS = 400;
  private static final int SMALL_ROWS = 40;
  private static final int DIGITS = 5;

  /** Behind the header in the key of a row; and what comes after all such keys. */
  private static final char DASH = '-';

  private static final char BEHIND = '.';

  /** Returns the most rows that the group has at a time. */
  public int mostRows() {
    if (number < LONE) {
      return 0;
    }
    return number < LARGE ? LARGE_ROWS : number < MEDIUM ? MEDIUM_ROWS : SMALL_ROWS;
  }

  /** Returns the key of its register. */
  public long key() {
    return HistoryCells.lone(number, 0);
  }

  /** Returns the group of a register's key. */
  public static Group of(long key) {
    return new Group((int) (key / HistoryCells.GROUP));
  }

  /** Returns the key of the header row, which lies in the first table. */
  byte[] header() {
    return HistoryCells.row(key());
  }

  /** Returns the table, by its number, of the row at a place. */
  static int table(int place) {
    return place % TABLES;
  }

  /** Returns the key of the row at a place. */
  byte[] row(int place) {
    return behind(DASH + String.format(Locale.ROOT, "%0" + DIGITS + "d", place));
  }

  /** Returns the place of a row with this key; {@link RowContent#HEADER} if it is a header. */
  static int place(byte[] row) {
    String text = new String(row, StandardCharsets.UTF_8);
    int dash = text.lastIndexOf(DASH);
    return text.indexOf(DASH) == dash
        ? RowContent.HEADER
        : Integer.parseInt(text.substring(dash + 1));
  }

  /** Returns the group of a row with this key. */
  static Group of(byte[] row) {
    int header = new Group(0).header().length;
    return of(HistoryCells.key(0, Arrays.copyOf(row, header), HistoryCells.qualifier(0)));
  }

  /** Returns a scan of all rows but the header. */
  Scan rows() {
    return new Scan().withStartRow(behind(DASH)).withStopRow(behind(BEHIND));
  }

  /** The same in descending order. */
  Scan rowsReversed() {
    return new Scan()
        .withStartRow(behind(BEHIND))
        .withStopRow(behind(DASH), false)
        .setReversed(true);
  }

  private byte[] behind(Object text) {
    return (new String(header(), StandardCharsets.UTF_8) + text).getBytes(StandardCharsets.UTF_8);
  }
}
