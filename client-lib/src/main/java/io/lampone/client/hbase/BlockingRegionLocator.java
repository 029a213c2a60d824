package io.lampone.client.hbase;

import io.lampone.client.driver.AsyncRequest;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.RegionLocator;

/** Locator of a table's regions for waiting callers. Closing it does nothing. */
final class BlockingRegionLocator implements RegionLocator {

  private final BlockingTransaction transaction;
  private final AsyncTableRegionLocator locator;

  BlockingRegionLocator(BlockingTransaction transaction, AsyncTableRegionLocator locator) {
    this.transaction = transaction;
    this.locator = locator;
  }

  @Override
  public HRegionLocation getRegionLocation(byte[] row, int replicaId, boolean reload)
      throws IOException {
    return transaction.call(
        begun -> AsyncRequest.step(() -> locator.getRegionLocation(row, replicaId, reload)));
  }

  @Override
  public List<HRegionLocation> getRegionLocations(byte[] row, boolean reload) throws IOException {
    return transaction.call(
        begun -> AsyncRequest.step(() -> locator.getRegionLocations(row, reload)));
  }

  @Override
  public List<HRegionLocation> getAllRegionLocations() throws IOException {
    return transaction.call(begun -> AsyncRequest.step(() -> locator.getAllRegionLocations()));
  }

  @Override
  public void clearRegionLocationCache() {
    locator.clearRegionLocationCache();
  }

  @Override
  public TableName getName() {
    return locator.getName();
  }

  @Override
  public void close() {}
}
