package io.lampone.client.spi;

import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.hbase.client.AbstractClientScanner;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;

/** Scanner of results that have been read. */
final class PageScanner extends AbstractClientScanner {

  private final Iterator<Result> results;

  PageScanner(List<Result> results) {
    this.results = results.iterator();
  }

  @Override
  public @Nullable Result next() {
    return results.hasNext() ? results.next() : null;
  }

  @Override
  public void close() {}

  /** There is no lease. */
  @Override
  public boolean renewLease() {
    return true;
  }
}
