package io.lampone.client.hbase.read;

import java.util.Arrays;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.jspecify.annotations.Nullable;

/**
 * Position of a scan, from which it continues when its scanner has to be opened again.
 *
 * <p>Where a row may come in several results (batch, partial results), the scan continues at the
 * row that came last, and what came of it already is skipped: cells that sort at or before the last
 * one. Otherwise it continues behind that row. The limit counts rows: those that came are
 * subtracted, but for one that may come again.
 *
 * <p>Not thread-safe: used by one thread after the other.
 */
final class ScanPosition {

  /** HBase's value for no limit. */
  private static final int NO_LIMIT = -1;

  private final Scan scan;
  private final boolean rowsInParts;

  // the last cell that came, of the row that came last; absent until one came
  private @Nullable Cell lastCell;
  private int rows;
  // a row behind the limit came by
  private boolean beyondLimit;

  ScanPosition(Scan scan) {
    this.scan = scan;
    this.rowsInParts = scan.getBatch() > 0 || scan.getAllowPartialResults();
  }

  /** Returns true if a row may come in several results. */
  boolean rowsInParts() {
    return rowsInParts;
  }

  /**
   * Takes note of a result.
   *
   * @return what of it is new: the same if all is; empty if nothing is
   */
  Result advance(Result result) {
    if (result.isEmpty()) {
      return Result.EMPTY_RESULT;
    }
    Cell[] cells = result.rawCells();
    Result fresh = result;
    if (lastCell == null || !CellUtil.matchingRows(cells[0], lastCell)) {
      if (scan.getLimit() > 0 && rows == scan.getLimit()) {
        // Rows come in parts: that the last one had ended is known only now.
        beyondLimit = true;
        return Result.EMPTY_RESULT;
      }
      rows++;
    } else if (rowsInParts) {
      fresh = behindLast(result, lastCell);
    }
    if (!fresh.isEmpty()) {
      lastCell = cells[cells.length - 1];
    }
    return fresh;
  }

  /**
   * Takes note of results at once, if none of them has to be looked at: rows are not counted, and
   * nothing comes twice.
   *
   * @param results none of them empty
   * @return whether it has; else nothing has changed
   */
  boolean advanceAll(Result[] results) {
    if (rowsInParts || scan.getLimit() > 0) {
      return false;
    }
    if (results.length > 0) {
      Cell[] cells = results[results.length - 1].rawCells();
      lastCell = cells[cells.length - 1];
    }
    return true;
  }

  private static Result behindLast(Result result, Cell last) {
    Cell[] cells = result.rawCells();
    int seen = 0;
    while (seen < cells.length && CellComparator.getInstance().compare(cells[seen], last) <= 0) {
      seen++;
    }
    if (seen == 0) {
      return result;
    }
    return Result.create(
        Arrays.copyOfRange(cells, seen, cells.length), null, false, result.mayHaveMoreCellsInRow());
  }

  /** Returns true if the limit is reached and the last row cannot have more. */
  boolean isOver() {
    return beyondLimit || scan.getLimit() > 0 && rows >= scan.getLimit() && !rowsInParts;
  }

  /** The scan that goes on from here. */
  Scan rest() {
    Scan rest = ReadRules.copy(scan);
    Cell last = lastCell;
    if (last != null) {
      rest.withStartRow(CellUtil.cloneRow(last), rowsInParts);
    }
    if (scan.getLimit() > 0) {
      // Where rows come in parts HBase's client loses count of them, and the limit is held here
      // only.
      rest.setLimit(rowsInParts ? NO_LIMIT : scan.getLimit() - rows);
    }
    return rest;
  }
}
