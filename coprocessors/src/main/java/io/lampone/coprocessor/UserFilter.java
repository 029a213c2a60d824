package io.lampone.coprocessor;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Filter of the application, which sees a table of visible cells only: a row begins with its first
 * visible cell, and a row without one does not exist.
 *
 * <p>A filter may request a seek to a later cell. Within the row and family it is executed as
 * requested. A seek into another row goes to the beginning of that row only, because the reserved
 * columns there must not be skipped; the cells before its target are then withheld from the filter.
 */
final class UserFilter {

  private final @Nullable Filter filter;
  private final CellComparator comparator = CellComparator.getInstance();

  /**
   * Target cell of the filter's seek, by family. Copies: a target may be kept until a later row,
   * and HBase reuses the memory of the cell from which it was made.
   */
  private final Map<byte[], Cell> targets = new TreeMap<>(Bytes.BYTES_COMPARATOR);

  /** True if the filter has seen a cell of the current row. */
  private boolean entered;

  /** True if the filter has rejected the current row by its key. */
  private boolean rejected;

  /** Target of HBase's seek after a {@code SEEK_NEXT_USING_HINT}. */
  private @Nullable Cell seek;

  UserFilter(@Nullable Filter filter) {
    this.filter = filter;
  }

  boolean hasRejectedRow() {
    return rejected;
  }

  /** Returns true if {@code cell} lies before the filter's target in its family. */
  boolean isBeforeTarget(Cell cell) {
    if (targets.isEmpty()) {
      return false;
    }
    byte[] family = CellUtil.cloneFamily(cell);
    Cell target = targets.get(family);
    if (target == null) {
      return false;
    }
    if (isBefore(cell, target)) {
      return true;
    }
    targets.remove(family);
    return false;
  }

  /** Returns true if the row of {@code cell} lies before that of the filter's target. */
  boolean isBeforeTargetRow(Cell cell) {
    Cell target = targets.isEmpty() ? null : targets.get(CellUtil.cloneFamily(cell));
    return target != null && !CellUtil.matchingRows(cell, target) && isBefore(cell, target);
  }

  /** Returns the code for a cell before its family's target. */
  ReturnCode towardsTarget(Cell cell) {
    Cell target = targets.get(CellUtil.cloneFamily(cell));
    if (target == null || isReversed()) {
      return ReturnCode.SKIP;
    }
    seek = seekKey(cell, target);
    return ReturnCode.SEEK_NEXT_USING_HINT;
  }

  /** Passes a visible cell to the filter. */
  ReturnCode visible(Cell cell) throws IOException {
    if (filter == null) {
      entered = true;
      return ReturnCode.INCLUDE;
    }
    if (!entered) {
      entered = true;
      rejected = filter.filterAllRemaining() || filter.filterRowKey(cell);
    }
    if (rejected) {
      return ReturnCode.NEXT_ROW;
    }
    ReturnCode code = filter.filterCell(cell);
    return code == ReturnCode.SEEK_NEXT_USING_HINT ? towards(cell, filter) : code;
  }

  private ReturnCode towards(Cell cell, Filter asking) throws IOException {
    Cell target = asking.getNextCellHint(cell);
    if (target == null || !isBefore(cell, target)) {
      return ReturnCode.SKIP;
    }
    if (isReversed() && CellUtil.matchingRows(cell, target)) {
      // HBase does not seek forward inside a row in a reversed scan.
      return ReturnCode.SKIP;
    }
    targets.put(CellUtil.cloneFamily(cell), KeyValueUtil.toNewKeyCell(target));
    seek = seekKey(cell, target);
    return ReturnCode.SEEK_NEXT_USING_HINT;
  }

  /** Returns the key of the last {@code SEEK_NEXT_USING_HINT}. */
  @Nullable Cell seek() {
    return seek;
  }

  private Cell seekKey(Cell cell, Cell target) {
    return CellUtil.matchingRows(cell, target) ? target : PrivateCellUtil.createFirstOnRow(target);
  }

  private boolean isBefore(Cell cell, Cell target) {
    if (!isReversed()) {
      return comparator.compare(cell, target) < 0;
    }
    int rows = comparator.compareRows(cell, target);
    return rows > 0 || rows == 0 && comparator.compare(cell, target) < 0;
  }

  void reset() throws IOException {
    if (filter != null && entered) {
      filter.reset();
    }
    entered = false;
    rejected = false;
  }

  boolean filterAllRemaining() throws IOException {
    return filter != null && filter.filterAllRemaining();
  }

  /** Returns true if it has rejected the row, or ends the scan. */
  boolean needsNoMore() throws IOException {
    return rejected || filterAllRemaining();
  }

  Cell transform(Cell cell) throws IOException {
    return filter == null ? cell : filter.transformCell(cell);
  }

  boolean hasFilterRow() {
    return filter != null && filter.hasFilterRow();
  }

  void filterRowCells(List<Cell> cells) throws IOException {
    if (filter != null && entered) {
      filter.filterRowCells(cells);
    }
  }

  boolean filterRow() throws IOException {
    return filter != null && entered && filter.filterRow();
  }

  boolean isFamilyEssential(byte[] family) throws IOException {
    return filter == null || filter.isFamilyEssential(family);
  }

  void setReversed(boolean reversed) {
    if (filter != null) {
      filter.setReversed(reversed);
    }
  }

  private boolean isReversed() {
    return filter != null && filter.isReversed();
  }
}
