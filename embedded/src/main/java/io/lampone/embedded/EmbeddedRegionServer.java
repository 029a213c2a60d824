package io.lampone.embedded;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.HRegionServer;

/**
 * Ordinary region server, except that it reports to the master no more often than by default.
 *
 * <p>HBase has one setting for three periods: the poll for a master, the check for the end of the
 * cluster, and the reports. In a cluster that starts within seconds the first must be short; but
 * each report describes every region and the last request of every handler.
 *
 * <p>Public only because HBase creates it by reflection.
 */
public final class EmbeddedRegionServer extends HRegionServer {

  /** Default of HBase. */
  static final long REPORT_MILLIS = 3_000;

  /** End of the last reported period; used by the server's own thread only. */
  private long reportedMillis;

  /** Called by HBase. */
  public EmbeddedRegionServer(Configuration settings) throws IOException {
    super(settings);
  }

  @Override
  protected void tryRegionServerReport(long beginMillis, long endMillis) throws IOException {
    // Without the first report the master would assign no region to it.
    if (endMillis - reportedMillis >= REPORT_MILLIS) {
      super.tryRegionServerReport(reportedMillis == 0 ? beginMillis : reportedMillis, endMillis);
      reportedMillis = endMillis;
    }
  }
}
