package io.lampone.faultlab.work.check;

import java.util.function.Consumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Check of the order of a scan: each row once, in order, with each of its columns once, in order.
 * It runs before the result becomes a map, which would hide duplicate rows.
 */
public final class ScanOrder {

  private final Consumer<String> violations;
  private @Nullable Cell last;

  /**
   * @param violations receives violations
   */
  public ScanOrder(Consumer<String> violations) {
    this.violations = violations;
  }

  /** The next row of the scan. */
  public void next(Result result) {
    Cell before = last;
    boolean isFirst = true;
    for (Cell cell : result.rawCells()) {
      if (before != null) {
        int rows = CellComparator.getInstance().compareRows(before, cell);
        if (isFirst && rows >= 0) {
          say(rows == 0 ? "a row twice" : "rows out of order", before, cell);
        } else if (!isFirst && rows != 0) {
          say("two rows as one", before, cell);
        } else if (!isFirst && compareColumns(before, cell) >= 0) {
          say("columns twice or out of order", before, cell);
        }
      }
      before = cell;
      isFirst = false;
    }
    last = before;
  }

  /** Compares columns without timestamps: all reads here request one version. */
  private static int compareColumns(Cell before, Cell cell) {
    int families = CellComparator.getInstance().compareFamilies(before, cell);
    return families != 0 ? families : CellComparator.getInstance().compareQualifiers(before, cell);
  }

  private void say(String what, Cell before, Cell cell) {
    violations.accept("scan: " + what + ", before=" + text(before) + " then=" + text(cell));
  }

  private static String text(Cell cell) {
    return Bytes.toStringBinary(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength())
        + "/"
        + Bytes.toStringBinary(
            cell.getFamilyArray(), cell.getFamilyOffset(), cell.getFamilyLength())
        + ":"
        + Bytes.toStringBinary(
            cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength());
  }
}
