package io.lampone.coprocessor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.jspecify.annotations.Nullable;

/**
 * Cells of a row that are in its result before it is known what they show: those of columns that
 * sort before the reserved ones, as the first one of Phoenix's encoded rows does. They are judged
 * when the reserved columns have been read; the result is completed at the end of the row.
 */
final class DeferredCells {

  /** A row with more of them is read with a separate look-up of its reserved columns. */
  private static final int MOST = 64;

  /** Bytes after which no more are accepted: they are held until the row is complete. */
  private static final int MOST_BYTES = 64 << 10;

  private static final int MOST_OF_ROW = 1_000;
  private static final int MOST_BYTES_OF_ROW = 256 << 10;

  private final Judge judge;
  private final Transformation transformation;

  private final List<Cell> cells = new ArrayList<>();

  /** Cells shown in the place of the judged ones, in their order; null = none. */
  private final List<@Nullable Cell> shown = new ArrayList<>();

  private long bytes;

  /** True if the row gets no more. */
  private boolean closed;

  /** Cell of the column of which the filter needs no more; null if there is none. */
  private @Nullable Cell doneWith;

  /** Judgment of a cell whose transaction cells are known. */
  interface Judge {
    ReturnCode judge(Cell cell) throws IOException;
  }

  /** Returns what an included cell shows. */
  interface Transformation {
    Cell shown(Cell cell) throws IOException;
  }

  DeferredCells(Judge judge, Transformation transformation) {
    this.judge = judge;
    this.transformation = transformation;
  }

  /** Returns true if some are not judged yet. */
  boolean anyOpen() {
    return shown.size() < cells.size();
  }

  /** Adds a cell that is to be included in the result; returns false if the row gets no more. */
  boolean accept(Cell cell) {
    closed |= cells.size() == MOST || bytes > MOST_BYTES;
    bytes += cell.getSerializedSize();
    return !closed && cells.add(cell);
  }

  /** Returns true if the cell was added last, and is not judged. */
  boolean isLast(Cell cell) {
    return anyOpen() && cells.get(cells.size() - 1) == cell;
  }

  /**
   * Judges the open ones in their order, as far as a filter of HBase would receive them; returns
   * true if it would receive no more of their family.
   *
   * @param named whether the read names the columns of the family: of all columns, HBase iterates
   *     over the versions of the empty one, though the filter needs no more
   */
  boolean settle(boolean named) throws IOException {
    boolean familyDone = false;
    while (anyOpen()) {
      Cell cell = cells.get(shown.size());
      if (familyDone || isOfDoneColumn(cell)) {
        shown.add(null);
        continue;
      }
      ReturnCode code = judge.judge(cell);
      shown.add(isIncluded(code) ? transformation.shown(cell) : null);
      boolean columnDone = code == ReturnCode.NEXT_COL || code == ReturnCode.INCLUDE_AND_NEXT_COL;
      if (columnDone && (named || cell.getQualifierLength() > 0)) {
        doneWith = cell;
      }
      familyDone = code == ReturnCode.NEXT_ROW || code == ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW;
    }
    return familyDone;
  }

  /** Returns true if the filter needs no more cells of the column, as HBase would know. */
  boolean isOfDoneColumn(Cell cell) {
    return doneWith != null && CellUtil.matchingColumn(cell, doneWith);
  }

  /** Returns true if a row is too large to be returned as a whole where HBase would part it. */
  static boolean isLarge(List<Cell> row) {
    long sum = 0;
    for (Cell cell : row) {
      sum += cell.getSerializedSize();
    }
    return row.size() > MOST_OF_ROW || sum > MOST_BYTES_OF_ROW;
  }

  static boolean isIncluded(ReturnCode code) {
    return code == ReturnCode.INCLUDE
        || code == ReturnCode.INCLUDE_AND_NEXT_COL
        || code == ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW;
  }

  /** Replaces the cells in the result of the row by what they show. */
  void complete(List<Cell> result) {
    int from = 0;
    for (int i = 0; i < cells.size(); i++) {
      int at = from;
      while (at < result.size() && result.get(at) != cells.get(i)) {
        at++;
      }
      if (at == result.size()) {
        continue; // another filter beside this one has dropped it
      }
      Cell instead = shown.get(i);
      if (instead == null) {
        result.remove(at);
        from = at;
      } else {
        result.set(at, instead);
        from = at + 1;
      }
    }
  }

  /** Forgets the row. */
  void clear() {
    cells.clear();
    shown.clear();
    bytes = 0;
    closed = false;
    doneWith = null;
  }
}
