package io.lampone.coprocessor;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.request.Refusal;
import java.util.function.Function;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.jspecify.annotations.Nullable;

/**
 * Placement of our filter in a scan of Apache Phoenix. Phoenix pauses a long scan by a filter
 * around the application's, and looks for it at the top of the scan when it continues. So our
 * filter replaces the inner one, and Phoenix's stays at the top; otherwise the scan would appear to
 * have ended.
 *
 * <p>Uses reflection: this module does not know Phoenix, and a region server may lack it.
 */
final class PhoenixPaging {

  private static final String FILTER = "org.apache.phoenix.filter.PagingFilter";

  private PhoenixPaging() {}

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
