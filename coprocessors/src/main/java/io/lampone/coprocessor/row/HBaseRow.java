package io.lampone.coprocessor.row;

import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.hbase.TableRetention;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.jspecify.annotations.Nullable;

/**
 * A stored row, read straight from the region. No hook runs for it, and the visitor is a filter, so
 * that "next column" is a seek and not a scan of all versions. The caller must be inside a region
 * operation.
 */
public final class HBaseRow implements StoredRow {

  /** Read point of a reader that sees what is visible now. */
  public static final long VISIBLE = 0;

  /**
   * Read point of a holder of the row lock: also sees cells that are stored and not visible yet.
   * When a write fails after its log append, e.g. because another observer throws, HBase releases
   * the row lock without waiting for the cells; they become visible later.
   */
  public static final long STORED = Long.MAX_VALUE;

  private final Region region;
  private final Supplier<Bytes> key;
  private final long readPoint;
  private final TableRetention retention;

  /** Files that every visit must see; null before the first visit. */
  private @Nullable StoreFilesSeen files;

  /**
   * @param readPoint an MVCC read point that a scanner keeps open, {@link #VISIBLE} or {@link
   *     #STORED}
   */
  public HBaseRow(Region region, Bytes key, long readPoint, TableRetention retention) {
    this.region = region;
    this.key = () -> key;
    this.readPoint = readPoint;
    this.retention = retention;
  }

  /**
   * Current row of a scan.
   *
   * @param key the row's key, requested when needed: copying it for each row would cost too much
   * @param files the files of the scanner that the visits complete
   */
  public HBaseRow(
      Region region,
      Supplier<Bytes> key,
      long readPoint,
      TableRetention retention,
      StoreFilesSeen files) {
    this.region = region;
    this.key = key;
    this.readPoint = readPoint;
    this.retention = retention;
    this.files = files;
  }

  @Override
  public Bytes key() {
    return key.get();
  }

  @Override
  public String table() {
    return region.getRegionInfo().getTable().getNameAsString();
  }

  @Override
  public Collection<Bytes> families() {
    return region.getTableDescriptor().getColumnFamilyNames().stream().map(Bytes::wrap).toList();
  }

  @Override
  public FamilyRetention retention(Bytes family) {
    return retention.of(family);
  }

  @Override
  public void visit(Selection selection, Visitor visitor) throws IOException {
    Get get = new Get(key().unsafeArray());
    for (Bytes family : selection.families()) {
      if (selection.columns().isEmpty()) {
        get.addFamily(family.unsafeArray());
      }
      for (Bytes column : selection.columns()) {
        get.addColumn(family.unsafeArray(), column.unsafeArray());
      }
    }
    get.readAllVersions().setTimeRange(selection.lowest(), selection.highest() + 1);
    get.setFilter(new VisitingFilter(visitor));
    StoreFilesSeen seen = files;
    if (seen == null) {
      files = StoreFilesSeen.of(region);
    }
    Scan scan = new Scan(get);
    List<Cell> none = new ArrayList<>();
    PackagePrivateFieldAccessor.setMvccReadPoint(scan, readPoint);
    try (RegionScanner scanner = region.getScanner(scan)) {
      scanner.nextRaw(none);
    }
    if (seen != null) {
      // This visit and the earlier ones must have read the same files.
      seen.requireStillThere();
    }
  }

  /** Passes every cell to the visitor and returns none. */
  private static final class VisitingFilter extends FilterBase {

    private final Visitor visitor;
    private final CellCursor cursor = new CellCursor();
    private boolean stopped;

    /**
     * Family whose empty column is done: HBase iterates over that column instead of skipping it.
     */
    private @Nullable Bytes emptyColumnDone;

    VisitingFilter(Visitor visitor) {
      this.visitor = visitor;
    }

    @Override
    public ReturnCode filterCell(Cell cell) throws IOException {
      if (stopped) {
        return ReturnCode.NEXT_ROW;
      }
      cursor.moveTo(cell);
      boolean empty = cell.getQualifierLength() == 0;
      if (empty && emptyColumnDone != null && emptyColumnDone.equals(cursor.family())) {
        return ReturnCode.NEXT_COL;
      }
      Next next = visitor.visit(cursor);
      if (empty && next == Next.COLUMN) {
        emptyColumnDone = cursor.family();
      }
      return switch (next) {
        case VERSION -> ReturnCode.SKIP;
        case COLUMN -> ReturnCode.NEXT_COL;
        case FAMILY -> ReturnCode.NEXT_ROW;
        case STOP -> {
          stopped = true;
          yield ReturnCode.NEXT_ROW;
        }
      };
    }

    @Override
    public boolean filterAllRemaining() {
      return stopped;
    }

    @Override
    public boolean filterRowKey(Cell cell) {
      return false;
    }
  }
}
