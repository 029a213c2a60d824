package io.lampone.embedded;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.master.RegionState;

/**
 * Ordinary master, except that it detects sooner that a system table is online.
 *
 * <p>At its start {@link HMaster} checks the regions of hbase:meta and hbase:namespace after 0, 1,
 * 3 and 7 seconds. In a cluster that restarts within seconds these steps are most of the wait, so
 * this class polls every few milliseconds first, and then calls the original code.
 *
 * <p>Public only because HBase creates it by reflection.
 */
public final class EmbeddedMaster extends HMaster {

  private static final long POLL_MILLIS = 10;

  /** Called by HBase. */
  public EmbeddedMaster(Configuration settings) throws IOException {
    super(settings);
  }

  @Override
  public boolean waitForMetaOnline() {
    awaitOnline(RegionInfoBuilder.FIRST_META_REGIONINFO);
    return super.waitForMetaOnline();
  }

  @Override
  public boolean waitForNamespaceOnline() {
    getAssignmentManager()
        .getRegionStates()
        .getRegionsOfTable(TableName.NAMESPACE_TABLE_NAME)
        .forEach(this::awaitOnline);
    return super.waitForNamespaceOnline();
  }

  private void awaitOnline(RegionInfo region) {
    while (!isStopped() && !isOnlineSomewhere(region)) {
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private boolean isOnlineSomewhere(RegionInfo region) {
    RegionState state = getAssignmentManager().getRegionStates().getRegionState(region);
    return state != null
        && state.isOpened()
        && getServerManager().isServerOnline(state.getServerName());
  }
}
