package io.lampone.embedded;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.HRegionServer;

/**
 * The ordinary region server, except that it reports to the master no more often than others do.
 *
 * <p>How often it looks for a master, and for the end of the cluster, is the same setting of HBase
 * as how often it reports. In a cluster that starts within seconds the former must be short; and
 * each report describes every region and the last request of every handler.
 *
 * <p>Public only because HBase makes it by reflection.
 */
public final class EmbeddedRegionServer extends HRegionServer {

  /** Default of HBase. */
  static final long REPORT_MILLIS = 3_000;

  /** End of the last period that was reported; used by the server's own thread only. */
  private long reportedMillis;

  /** Called by HBase. */
  public EmbeddedRegionServer(Configuration settings) throws IOException {
    super(settings);
  }

  @Override
  protected void tryRegionServerReport(long beginMillis, long endMillis) throws IOException {
    // Without the first one the master would assign no region to it.
    if (endMillis - reportedMillis >= REPORT_MILLIS) {
      super.tryRegionServerReport(reportedMillis == 0 ? beginMillis : reportedMillis, endMillis);
      reportedMillis = endMillis;
    }
  }
}
