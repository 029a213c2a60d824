package io.lampone.embedded;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.util.Bytes;

/** Observer that reduces the scans that request it to one row: sum and number of their values. */
public final class SummingObserver implements RegionCoprocessor, RegionObserver {

  static final String ATTRIBUTE = "test.sum";
  static final AtomicInteger OPENED = new AtomicInteger();

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public RegionScanner postScannerOpen(
      ObserverContext<RegionCoprocessorEnvironment> context, Scan scan, RegionScanner scanner) {
    if (scan.getAttribute(ATTRIBUTE) == null) {
      return scanner;
    }
    OPENED.incrementAndGet();
    return new Summing(scanner);
  }

  private record Summing(RegionScanner scanner) implements RegionScanner {

    private boolean sum(List<Cell> result) throws IOException {
      long sum = 0;
      long count = 0;
      byte[] row = null;
      List<Cell> cells = new ArrayList<>();
      boolean more = true;
      while (more) {
        cells.clear();
        more = scanner.nextRaw(cells);
        for (Cell cell : cells) {
          // As Phoenix does it: whatever the value is, its first eight bytes are a number.
          sum += Bytes.toLong(CellUtil.cloneValue(cell), 0);
          count++;
          row = CellUtil.cloneRow(cell);
        }
      }
      if (row != null) {
        byte[] value = Bytes.add(Bytes.toBytes(sum), Bytes.toBytes(count));
        result.add(new KeyValue(row, Bytes.toBytes("f"), Bytes.toBytes("sum"), 1, value));
      }
      return false;
    }

    @Override
    public boolean nextRaw(List<Cell> result) throws IOException {
      return sum(result);
    }

    @Override
    public boolean nextRaw(List<Cell> result, ScannerContext context) throws IOException {
      return sum(result);
    }

    @Override
    public boolean next(List<Cell> result) throws IOException {
      return sum(result);
    }

    @Override
    public boolean next(List<Cell> result, ScannerContext context) throws IOException {
      return sum(result);
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
    public void close() throws IOException {
      scanner.close();
    }
  }
}
