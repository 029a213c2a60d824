package io.lampone.coprocessor;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;

/**
 * A foreign observer that puts a scanner of its own in the place of HBase's, and leaves another
 * filter in the scan than the one that it was opened with.
 */
public final class WrappingObserver implements RegionCoprocessor, RegionObserver {

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public RegionScanner postScannerOpen(
      ObserverContext<RegionCoprocessorEnvironment> context, Scan scan, RegionScanner scanner) {
    Filter filter = scan.getFilter();
    scan.setFilter(filter == null ? new FilterList() : new FilterList(filter));
    return new Wrapper(scanner);
  }

  /** A scanner that only passes on. */
  static class Wrapper implements RegionScanner {

    private final RegionScanner scanner;

    Wrapper(RegionScanner scanner) {
      this.scanner = scanner;
    }

    @Override
    public RegionInfo getRegionInfo() {
      return scanner.getRegionInfo();
    }

    @Override
    public boolean isFilterDone() throws IOException {
      return scanner.isFilterDone();
    }

    @Override
    public boolean reseek(byte[] row) throws IOException {
      return scanner.reseek(row);
    }

    @Override
    public long getMaxResultSize() {
      return scanner.getMaxResultSize();
    }

    @Override
    public long getMvccReadPoint() {
      return scanner.getMvccReadPoint();
    }

    @Override
    public int getBatch() {
      return scanner.getBatch();
    }

    @Override
    public String getOperationId() {
      return scanner.getOperationId();
    }

    @Override
    public boolean nextRaw(List<Cell> result) throws IOException {
      return scanner.nextRaw(result);
    }

    @Override
    public boolean nextRaw(List<Cell> result, ScannerContext context) throws IOException {
      return scanner.nextRaw(result, context);
    }

    @Override
    public boolean next(List<Cell> result) throws IOException {
      return scanner.next(result);
    }

    @Override
    public boolean next(List<Cell> result, ScannerContext context) throws IOException {
      return scanner.next(result, context);
    }

    @Override
    public void close() throws IOException {
      scanner.close();
    }
  }
}
