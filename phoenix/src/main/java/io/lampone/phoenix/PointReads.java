package io.lampone.phoenix;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AbstractClientScanner;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.apache.phoenix.coprocessorclient.BaseScannerRegionObserverConstants;
import org.apache.phoenix.execute.TupleProjector;
import org.apache.phoenix.schema.tuple.ResultTuple;
import org.apache.phoenix.util.EncodedColumnsUtil;
import org.jspecify.annotations.Nullable;

/**
 * Scans of Phoenix that read one row by its key, as reads of the fast path: the latest state, in
 * one round trip (protocol page, section 8). What Phoenix's coprocessors would do with such a row
 * is the projection of its columns, which is done here.
 */
final class PointReads {

  /**
   * Attributes that change nothing else in the result of such a scan. Any other attribute asks for
   * work on the server.
   */
  private static final Set<String> WITHOUT_EFFECT =
      Set.of(
          BaseScannerRegionObserverConstants.CLIENT_VERSION,
          BaseScannerRegionObserverConstants.NON_AGGREGATE_QUERY,
          BaseScannerRegionObserverConstants.SERVER_PAGE_SIZE_MS,
          BaseScannerRegionObserverConstants.USE_NEW_VALUE_COLUMN_QUALIFIER,
          BaseScannerRegionObserverConstants.EMPTY_COLUMN_FAMILY_NAME,
          BaseScannerRegionObserverConstants.EMPTY_COLUMN_QUALIFIER_NAME,
          BaseScannerRegionObserverConstants.QUALIFIER_ENCODING_SCHEME,
          BaseScannerRegionObserverConstants.SCAN_SERVER_RETURN_VALID_ROW_KEY,
          BaseScannerRegionObserverConstants.IMMUTABLE_STORAGE_ENCODING_SCHEME,
          "scanProjector", // Phoenix keeps this name to itself
          "_isolationlevel_"); // HBase does, too

  private PointReads() {}

  /** Returns true if a scan reads one row by its key, and needs nothing else of the server. */
  static boolean isPoint(Scan scan) {
    return scan.isGetScan()
        && scan.getFilter() == null
        && WITHOUT_EFFECT.containsAll(scan.getAttributesMap().keySet());
  }

  /** Returns the row of such a scan as Phoenix expects it; empty if the table has no fast path. */
  static Optional<Result> read(PhoenixClient client, TableName table, Scan scan)
      throws IOException {
    Get get = new Get(scan.getStartRow());
    for (Map.Entry<byte[], NavigableSet<byte[]>> family : scan.getFamilyMap().entrySet()) {
      if (family.getValue() == null) {
        get.addFamily(family.getKey());
      } else {
        family.getValue().forEach(column -> get.addColumn(family.getKey(), column));
      }
    }
    return client.latest(table, get).map(row -> projected(row, scan));
  }

  private static Result projected(Result row, Scan scan) {
    TupleProjector projector = TupleProjector.deserializeProjectorFromScan(scan);
    if (row.isEmpty() || projector == null) {
      return row;
    }
    boolean newQualifier = EncodedColumnsUtil.useNewValueColumnQualifier(scan);
    return Result.create(
        List.of(projector.projectResults(new ResultTuple(row), newQualifier).getValue(0)));
  }

  /** Returns true if two rows have the same columns and values. */
  static boolean isEqual(Result one, Result other) {
    Cell[] cells = one.isEmpty() ? new Cell[0] : one.rawCells();
    Cell[] others = other.isEmpty() ? new Cell[0] : other.rawCells();
    if (cells.length != others.length) {
      return false;
    }
    for (int i = 0; i < cells.length; i++) {
      if (!CellUtil.matchingColumn(cells[i], others[i])
          || !CellUtil.matchingValue(cells[i], others[i])) {
        return false;
      }
    }
    return true;
  }

  /** Returns a scanner of one row; of none if it is empty. */
  static ResultScanner scanner(Result row) {
    return new OneRow(row.isEmpty() ? null : row);
  }

  /** Scanner of at most one row. */
  private static final class OneRow extends AbstractClientScanner {

    private @Nullable Result row;

    OneRow(@Nullable Result row) {
      this.row = row;
    }

    @Override
    public @Nullable Result next() {
      Result next = row;
      row = null;
      return next;
    }

    @Override
    public void close() {
      row = null;
    }

    @Override
    public boolean renewLease() {
      return true;
    }

    @Override
    public ScanMetrics getScanMetrics() {
      return new ScanMetrics();
    }
  }
}
