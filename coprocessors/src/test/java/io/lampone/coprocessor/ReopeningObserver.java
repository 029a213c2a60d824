package io.lampone.coprocessor;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;

/**
 * A foreign observer that reads each row by a scanner of its own, which it opens with the client's
 * scan as it has become.
 */
public final class ReopeningObserver implements RegionCoprocessor, RegionObserver {

  private static final AtomicReference<Runnable> BEHIND_FIRST_ROW = new AtomicReference<>();

  /** Carries {@code what} out once, before the next scanner is opened behind a row. */
  static void behindNextRow(Runnable what) {
    BEHIND_FIRST_ROW.set(what);
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public RegionScanner postScannerOpen(
      ObserverContext<RegionCoprocessorEnvironment> context, Scan scan, RegionScanner scanner) {
    return new Reopening(context.getEnvironment().getRegion(), scan, scanner);
  }

  private static final class Reopening extends WrappingObserver.Wrapper {

    private final Region region;
    private final Scan scan;
    private byte[] last;

    Reopening(Region region, Scan scan, RegionScanner scanner) {
      super(scanner);
      this.region = region;
      this.scan = scan;
    }

    private boolean read(List<Cell> result) throws IOException {
      Scan next = new Scan(scan);
      if (last != null) {
        next.withStartRow(last, false);
        Runnable what = BEHIND_FIRST_ROW.getAndSet(null);
        if (what != null) {
          what.run();
        }
      }
      try (RegionScanner scanner = region.getScanner(next)) {
        scanner.nextRaw(result);
      }
      if (result.isEmpty()) {
        return false;
      }
      last = CellUtil.cloneRow(result.get(0));
      return true;
    }

    @Override
    public boolean nextRaw(List<Cell> result) throws IOException {
      return read(result);
    }

    @Override
    public boolean nextRaw(List<Cell> result, ScannerContext context) throws IOException {
      return read(result);
    }

    @Override
    public boolean next(List<Cell> result) throws IOException {
      return read(result);
    }

    @Override
    public boolean next(List<Cell> result, ScannerContext context) throws IOException {
      return read(result);
    }
  }
}
