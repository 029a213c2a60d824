package io.lampone.client.hbase.read;

import io.lampone.client.core.RowOverlay;
import io.lampone.client.core.RowOverlay.FamilyOverlay;
import io.lampone.protocol.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.jspecify.annotations.Nullable;

/** Overlays a transaction's buffered writes of one row on a server's reply to a simple Get. */
public final class BufferOverlay {

  private BufferOverlay() {}

  /**
   * Returns true if the reply to {@code get} can be corrected afterwards: it contains the newest
   * version of whole columns, and the server has not selected among them.
   */
  static boolean isSimple(Get get) {
    return get.getFilter() == null
        && get.getMaxVersions() == 1
        && get.getMaxResultsPerColumnFamily() < 0
        && get.getRowOffsetPerColumnFamily() == 0;
  }

  /** Returns the cells of the row as the transaction sees it, sorted. */
  static List<Cell> merge(Get get, List<Cell> cells, RowOverlay own, long startTimestamp) {
    if (own.families().isEmpty()) {
      return cells;
    }
    List<Cell> merged = new ArrayList<>(cells.size());
    for (Cell cell : cells) {
      FamilyOverlay family = own.families().get(Bytes.wrap(CellUtil.cloneFamily(cell)));
      boolean hidden =
          family != null
              && (family.deleted()
                  || family.columns().containsKey(Bytes.wrap(CellUtil.cloneQualifier(cell))));
      if (!hidden) {
        merged.add(cell);
      }
    }
    own.families()
        .forEach(
            (family, overlay) ->
                overlay
                    .columns()
                    .forEach(
                        (qualifier, value) -> {
                          if (value.isPresent() && selects(get, family, qualifier)) {
                            merged.add(
                                cell(get.getRow(), family, qualifier, value.get(), startTimestamp));
                          }
                        }));
    merged.sort(CellComparator.getInstance());
    return merged;
  }

  private static boolean selects(Get get, Bytes family, Bytes qualifier) {
    Map<byte[], NavigableSet<byte[]>> families = get.getFamilyMap();
    if (families.isEmpty()) {
      return true;
    }
    if (!families.containsKey(family.unsafeArray())) {
      return false;
    }
    @Nullable NavigableSet<byte[]> columns = families.get(family.unsafeArray());
    return columns == null || columns.isEmpty() || columns.contains(qualifier.unsafeArray());
  }

  /** Returns a cell as a server would send it. */
  public static Cell cell(byte[] row, Bytes family, Bytes qualifier, Bytes value, long timestamp) {
    return CellBuilderFactory.create(CellBuilderType.DEEP_COPY)
        .setRow(row)
        .setFamily(family.unsafeArray())
        .setQualifier(qualifier.unsafeArray())
        .setTimestamp(timestamp)
        .setType(Cell.Type.Put)
        .setValue(value.unsafeArray())
        .build();
  }
}
