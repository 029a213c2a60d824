package io.lampone.client.core.range;

import io.lampone.protocol.Bytes;

/** Rows between two positions. */
public record RowRange(RowPosition from, RowPosition to) {

  /** All rows of a table. */
  public static final RowRange ALL = new RowRange(RowPosition.FIRST, RowPosition.LAST);

  /** Returns true if no row can be in it. */
  public boolean isEmpty() {
    return from.compareTo(to) >= 0;
  }

  /** Returns true if {@code row} is in it. */
  public boolean contains(Bytes row) {
    return from.compareTo(new RowPosition(row, false)) <= 0
        && to.compareTo(new RowPosition(row, true)) >= 0;
  }

  /** Returns the length of the keys that bound it, in bytes. */
  public int keyBytes() {
    return from.row().length() + to.row().length();
  }

  /** Returns the rows from {@code row} on. */
  public RowRange startingAt(Bytes row) {
    return new RowRange(new RowPosition(row, false), to);
  }

  /** Returns the rows up to {@code row}, which is in it. */
  public RowRange endingAt(Bytes row) {
    return new RowRange(from, new RowPosition(row, true));
  }
}
