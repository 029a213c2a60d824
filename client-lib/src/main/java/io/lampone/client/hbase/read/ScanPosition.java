package io.lampone.client.hbase.read;

import java.util.Arrays;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.jspecify.annotations.Nullable;

/**
 * Position of a scan, from which it continues when its scanner is reopened.
 *
 * <p>Where a row may arrive in several results (batch, partial results), the scan continues at the
 * last row, and skips its known part: cells that sort at or before the last one. Otherwise it
 * continues behind that row, or at one further on that it has reached. The limit counts rows: known
 * ones are subtracted, except for one that may arrive again.
 *
 * <p>Not thread-safe: used by one thread at a time.
 */
final class ScanPosition {

  /** HBase's value for no limit. */
  private static final int NO_LIMIT = -1;

  private final Scan scan;
  private final boolean rowsInParts;

  // last cell of the last row; absent until one arrived
  private @Nullable Cell lastCell;
  // row behind the last one, before which all has arrived; absent until one is known
  private byte @Nullable [] reached;
  private int rows;
  // a row behind the limit has arrived
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
   * Advances by a result.
   *
   * @return its new part: the same if all is new; empty if nothing is
   */
  Result advance(Result result) {
    if (result.isEmpty()) {
      return Result.EMPTY_RESULT;
    }
    Cell[] cells = result.rawCells();
    Result fresh = result;
    if (lastCell == null || !CellUtil.matchingRows(cells[0], lastCell)) {
      if (scan.getLimit() > 0 && rows == scan.getLimit()) {
        // Rows arrive in parts: only this one shows that the last row had ended.
        beyondLimit = true;
        return Result.EMPTY_RESULT;
      }
      rows++;
    } else if (rowsInParts) {
      fresh = behindLast(result, lastCell);
    }
    if (!fresh.isEmpty()) {
      lastCell = cells[cells.length - 1];
      reached = null;
    }
    return fresh;
  }

  /**
   * Advances by results at once, if none of them needs a check: rows are not counted, and nothing
   * arrives twice.
   *
   * @param results none of them empty
   * @return true if it has; else nothing has changed
   */
  boolean advanceAll(Result[] results) {
    if (rowsInParts || scan.getLimit() > 0) {
      return false;
    }
    if (results.length > 0) {
      Cell[] cells = results[results.length - 1].rawCells();
      lastCell = cells[cells.length - 1];
      reached = null;
    }
    return true;
  }

  /** Advances to a row, before which the scan has found all that it returns. */
  void reach(byte[] row) {
    reached = lastCell != null && CellUtil.matchingRows(lastCell, row) ? null : row;
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

  /** Returns the scan that continues from here. */
  Scan rest() {
    Scan rest = ReadRules.copy(scan);
    Cell last = lastCell;
    byte[] start = reached;
    if (start != null) {
      rest.withStartRow(start, true);
    } else if (last != null) {
      rest.withStartRow(CellUtil.cloneRow(last), rowsInParts);
    }
    if (scan.getLimit() > 0) {
      // With rows in parts HBase's client loses count of them, and only this class keeps the limit.
      rest.setLimit(rowsInParts ? NO_LIMIT : scan.getLimit() - rows);
    }
    return rest;
  }
}
