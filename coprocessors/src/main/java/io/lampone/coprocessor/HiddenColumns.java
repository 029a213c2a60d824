package io.lampone.coprocessor;

import io.lampone.coprocessor.server.CoprocessorChain;
import java.io.IOException;
import java.util.Map;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.jspecify.annotations.Nullable;

/**
 * Columns that authorizers hide from the sender of a query. HBase's authorizer admits a query of
 * which it hides a part, and adds a filter that drops the hidden cells. That filter receives only
 * visible cells, so this class applies it to undecided intents. Cells of the transaction layer have
 * no ACLs of their own, so either a whole column is hidden or none of it.
 */
final class HiddenColumns {

  private static final HiddenColumns NONE = new HiddenColumns(null);

  /** Port: the authorizers' filter of a query; null if they hide nothing. */
  interface Restriction {
    @Nullable Filter find() throws IOException;
  }

  /** Null if nothing is hidden. */
  private @Nullable Restriction restriction;

  /** The authorizers' filter; null before the first intent, and if they hide nothing. */
  private @Nullable Filter filter;

  private HiddenColumns(@Nullable Restriction restriction) {
    this.restriction = restriction;
  }

  /**
   * @param user filter of the query, from its client or an authorizer; null = nothing is hidden
   * @param families its families and columns, without reserved ones
   */
  static HiddenColumns of(
      OpenRegion open,
      CoprocessorChain chain,
      @Nullable Filter user,
      Map<byte[], NavigableSet<byte[]>> families) {
    return user == null || chain.isOnlyUs()
        ? NONE
        : new HiddenColumns(Permissions.ofPlain(open, chain).restriction(families));
  }

  /** Returns true if the cell's column is hidden. */
  boolean contains(Cell cell) throws IOException {
    Restriction asked = restriction;
    if (asked == null) {
      return false;
    }
    Filter known = filter;
    if (known == null) {
      known = asked.find();
      if (known == null) {
        restriction = null;
        return false;
      }
      filter = known;
    }
    known.reset(); // the filter counts versions of a column
    ReturnCode code = known.filterCell(cell);
    return code != ReturnCode.INCLUDE
        && code != ReturnCode.INCLUDE_AND_NEXT_COL
        && code != ReturnCode.INCLUDE_AND_SEEK_NEXT_ROW;
  }
}
