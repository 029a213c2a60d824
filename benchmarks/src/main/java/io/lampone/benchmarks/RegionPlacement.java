package io.lampone.benchmarks;

import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;

/**
 * Places the regions of all tables alike; otherwise the ratio of two tables would be that of
 * servers.
 */
public record RegionPlacement(Connection connection, Admin admin, Clock clock) {

  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final long POLL_MILLIS = 20;

  /** Moves the first region of a table to the first server, the second one to the next. */
  public void place(TableName table) throws IOException {
    List<ServerName> servers = admin.getRegionServers().stream().sorted().toList();
    List<RegionInfo> regions = admin.getRegions(table).stream().sorted().toList();
    for (int i = 0; i < regions.size(); i++) {
      place(regions.get(i), servers.get(i % servers.size()));
    }
  }

  private void place(RegionInfo region, ServerName server) throws IOException {
    if (isAt(region, server)) {
      return;
    }
    admin.move(region.getEncodedNameAsBytes(), server);
    long begun = clock.monotonicNanos();
    while (!isAt(region, server)) {
      if (clock.monotonicNanos() - begun > TIMEOUT.toNanos()) {
        throw new IOException(
            "a region did not move: is the cluster busy with others?, region="
                + region.getRegionNameAsString()
                + " server="
                + server
                + " timeout="
                + TIMEOUT);
      }
      try {
        TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw (IOException) new InterruptedIOException("interrupted").initCause(e);
      }
    }
  }

  private boolean isAt(RegionInfo region, ServerName server) throws IOException {
    try (RegionLocator locator = connection.getRegionLocator(region.getTable())) {
      return server.equals(locator.getRegionLocation(region.getStartKey(), true).getServerName());
    }
  }
}
