package io.lampone.coprocessor;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.request.Refusal;
import java.util.function.Function;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.Filter;
import org.jspecify.annotations.Nullable;

/**
 * Place of our filter in a scan of Apache Phoenix. Phoenix ends a long scan for now by a filter
 * around that of the application, and looks for it at the top of the scan when it goes on. So ours
 * takes the place of what it is around, and it stays at the top; elsewhere the scan would seem to
 * be at its end.
 *
 * <p>By reflection: this module does not know Phoenix, and a region server may lack it.
 */
final class PhoenixPaging {

  private static final String FILTER = "org.apache.phoenix.filter.PagingFilter";

  private PhoenixPaging() {}

  /**
   * Puts a filter of ours into a scan.
   *
   * @param ours made of the application's, which may be null
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
