package io.lampone.coprocessor;

import io.lampone.coprocessor.server.CoprocessorChain;
import java.io.IOException;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Columns that authorizers hide from the sender of a query. HBase's authorizer allows a query of
 * which it hides a part, and adds a filter that drops the hidden cells. That filter sees visible
 * cells alone, so it does not see an undecided intent; here it is asked about it. Cells of the
 * transaction layer have no ACLs of their own, so either a whole column is hidden or none of it.
 */
final class HiddenColumns {

  private static final HiddenColumns NONE = new HiddenColumns(null, Map.of());

  /** Null if nothing is hidden. */
  private @Nullable Permissions permissions;

  /** Families and columns of the query, as its client has sent them. */
  private final Map<byte[], NavigableSet<byte[]>> families;

  /** The authorizers' filter; null until an intent is met, and if they hide nothing. */
  private @Nullable Filter filter;

  private HiddenColumns(
      @Nullable Permissions permissions, Map<byte[], NavigableSet<byte[]>> families) {
    this.permissions = permissions;
    this.families = families;
  }

  /**
   * @param user filter of the query, by its client or an authorizer; without one nothing is hidden
   * @param families its families and columns, without reserved ones
   */
  static HiddenColumns of(
      OpenRegion open,
      CoprocessorChain chain,
      @Nullable Filter user,
      Map<byte[], NavigableSet<byte[]>> families) {
    if (user == null || chain.isOnlyUs()) {
      return NONE;
    }
    // The query's own map is going to name reserved columns.
    Map<byte[], NavigableSet<byte[]>> asked = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    families.forEach(
        (family, columns) -> {
          NavigableSet<byte[]> named = new TreeSet<>(Bytes.BYTES_COMPARATOR);
          if (columns != null) {
            named.addAll(columns);
          }
          asked.put(family, named);
        });
    return new HiddenColumns(Permissions.ofPlain(open, chain), asked);
  }

  /** Returns true if the cell's column is hidden. */
  boolean contains(Cell cell) throws IOException {
    Permissions asked = permissions;
    if (asked == null) {
      return false;
    }
    Filter known = filter;
    if (known == null) {
      known = asked.restriction(families);
      if (known == null) {
        permissions = null;
        return false;
      }
      filter = known;
    }
    known.reset(); // it counts the versions of a column
    ReturnCode code = known.filterCell(cell);
    return code != ReturnCode.INCLUDE
        && code != ReturnCode.INCLUDE_AND_NEXT_COL
        && code != ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW;
  }
}
