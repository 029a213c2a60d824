package io.lampone.coprocessor;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.request.Refusal;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.jspecify.annotations.Nullable;

/**
 * Scans of Apache Phoenix: their attributes, and the place of our filter. Phoenix pauses a long
 * scan by a filter around the application's, and looks for it at the top of the scan when it
 * continues. So our filter replaces the inner one, and Phoenix's stays at the top; otherwise the
 * scan would appear to have ended.
 *
 * <p>Uses reflection: this module does not know Phoenix, and a region server may lack it.
 */
final class PhoenixScans {

  private static final String FILTER = "org.apache.phoenix.filter.PagingFilter";

  /** Attribute of the scans of all statements. */
  private static final String STATEMENT = "_ClientVersion";

  /** Attributes of those of them that add or remove a column, as of now. */
  private static final List<String> DDL = List.of("_EmptyCF", "_DeleteCF");

  private static final String STATISTICS = "_ANALYZETABLE";

  private static final String REBUILD = "_RebuildIndexes";

  private PhoenixScans() {}

  /** Returns true if the scan belongs to a statement on rows. */
  static boolean isStatement(Scan scan) {
    return scan.getAttribute(STATEMENT) != null
        && DDL.stream().allMatch(each -> scan.getAttribute(each) == null);
  }

  /** Returns true if the scan measures stored data without showing it. */
  static boolean isStatistics(Scan scan) {
    return scan.getAttribute(STATISTICS) != null;
  }

  /** Returns true if the scan rebuilds indexes. */
  static boolean isRebuild(Scan scan) {
    return scan.getAttribute(REBUILD) != null;
  }

  /**
   * Puts a filter of ours into a scan.
   *
   * @param ours creates it from the application's, which may be null
   */
  static <F extends Filter> F withinPages(Scan scan, Function<@Nullable Filter, F> ours) {
    Filter top = scan.getFilter();
    if (top == null || !top.getClass().getName().equals(FILTER)) {
      F filter = ours.apply(top);
      scan.setFilter(filter);
      return filter;
    }
    try {
      Class<?> type = top.getClass();
      F filter = ours.apply((Filter) type.getMethod("getDelegateFilter").invoke(top));
      type.getMethod("setDelegateFilter", Filter.class).invoke(top, filter);
      return filter;
    } catch (ReflectiveOperationException e) {
      throw Refused.because(
          Refusal.Code.UNSUPPORTED, "this version of Apache Phoenix is not supported: " + e);
    }
  }
}
