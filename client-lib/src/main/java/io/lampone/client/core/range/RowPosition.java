package io.lampone.client.core.range;

import io.lampone.protocol.Bytes;

/**
 * Position before or behind a row of a table, in the order of rows.
 *
 * @param row the row; empty for the positions before and behind all rows
 * @param behind true if it is behind the row
 */
public record RowPosition(Bytes row, boolean behind) implements Comparable<RowPosition> {

  /** Position before all rows. */
  public static final RowPosition FIRST = new RowPosition(Bytes.EMPTY, false);

  /** Position behind all rows. */
  public static final RowPosition LAST = new RowPosition(Bytes.EMPTY, true);

  /** Beginning of a range as HBase describes it: an empty row is no bound. */
  public static RowPosition start(Bytes row, boolean included) {
    return row.isEmpty() ? FIRST : new RowPosition(row, !included);
  }

  /** End of a range as HBase describes it: an empty row is no bound. */
  public static RowPosition stop(Bytes row, boolean included) {
    return row.isEmpty() ? LAST : new RowPosition(row, included);
  }

  /** Returns the smallest row that is behind this position; empty if none is certain. */
  public Bytes firstBehind() {
    if (!behind || row.isEmpty()) {
      return row;
    }
    byte[] next = new byte[row.length() + 1];
    System.arraycopy(row.unsafeArray(), 0, next, 0, row.length());
    return Bytes.wrap(next);
  }

  @Override
  public int compareTo(RowPosition other) {
    if (equals(LAST) || other.equals(LAST)) {
      return Boolean.compare(equals(LAST), other.equals(LAST));
    }
    int order = row.compareTo(other.row);
    return order != 0 ? order : Boolean.compare(behind, other.behind);
  }
}
