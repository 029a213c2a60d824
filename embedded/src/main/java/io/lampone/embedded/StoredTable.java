package io.lampone.embedded;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.Store;

/**
 * Contents of a table's regions at one moment, read below the coprocessor. For tests and
 * measurements.
 *
 * @param cells all versions of all columns
 * @param metadataCells those of them in reserved columns
 * @param metadataBytes keys and values of those
 * @param versionsMax maximum of versions of one user column
 * @param oldestIntent smallest start timestamp of a PENDING transaction cell
 * @param fileBytes bytes of the store files
 */
public record StoredTable(
    long cells,
    long metadataCells,
    long metadataBytes,
    int versionsMax,
    OptionalLong oldestIntent,
    long fileBytes) {

  static StoredTable of(List<HRegion> regions) throws IOException {
    Count count = new Count();
    long bytes = 0;
    for (HRegion region : regions) {
      count.read(region);
      bytes += region.getStores().stream().mapToLong(Store::getStorefilesSize).sum();
    }
    return new StoredTable(
        count.cells,
        count.metadataCells,
        count.metadataBytes,
        count.versionsMax,
        count.oldestIntent == Long.MAX_VALUE
            ? OptionalLong.empty()
            : OptionalLong.of(count.oldestIntent),
        bytes);
  }

  private static final class Count {
    private long cells;
    private long metadataCells;
    private long metadataBytes;
    private int versionsMax;
    private long oldestIntent = Long.MAX_VALUE;

    void read(HRegion region) throws IOException {
      try (RegionScanner rows = region.getScanner(new Scan().readAllVersions())) {
        List<Cell> row = new ArrayList<>();
        boolean more = true;
        while (more) {
          row.clear();
          more = rows.next(row);
          add(row);
        }
      }
    }

    private void add(List<Cell> row) {
      int versions = 0;
      Cell before = null;
      for (Cell cell : row) {
        cells++;
        Bytes qualifier = Bytes.wrap(CellUtil.cloneQualifier(cell));
        if (Reserved.isReserved(qualifier)) {
          metadataCells++;
          metadataBytes += cell.getSerializedSize();
          intent(qualifier, cell);
          continue;
        }
        versions = before != null && CellUtil.matchingColumn(before, cell) ? versions + 1 : 1;
        versionsMax = Math.max(versionsMax, versions);
        before = cell;
      }
    }

    private void intent(Bytes qualifier, Cell cell) {
      if (qualifier.equals(Reserved.TRANSACTION)
          && TransactionCell.decode(CellUtil.cloneValue(cell)).state()
              == TransactionState.PENDING) {
        oldestIntent = Math.min(oldestIntent, cell.getTimestamp());
      }
    }
  }
}
