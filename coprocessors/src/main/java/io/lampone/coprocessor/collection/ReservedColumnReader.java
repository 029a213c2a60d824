package io.lampone.coprocessor.collection;

import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.retention.FamilyCollector;
import io.lampone.coprocessor.row.HBaseRow;
import io.lampone.hbase.TableRetention;
import io.lampone.protocol.Bytes;
import java.io.IOException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.regionserver.Region;

/**
 * Reads the reserved columns of a row from the region, beside a compaction. The given MVCC read
 * point excludes cells that an open scanner does not see, and cells younger than the compacted
 * files. A state that has been replaced since may be missing there; then nothing is known of that
 * transaction, and its cells stay.
 */
public final class ReservedColumnReader {

  private final Region region;
  private final long readPoint;

  public ReservedColumnReader(Region region, long readPoint) {
    this.region = region;
    this.readPoint = readPoint;
  }

  /** Returns the region's name for log messages. */
  String name() {
    return region.getRegionInfo().getEncodedName();
  }

  /** Passes the head of the row and family of {@code cell} to {@code collector}. */
  void tell(Cell cell, FamilyCollector collector) throws IOException {
    if (readPoint <= 0) {
      throw new IOException("no read point");
    }
    new HBaseRow(region, Bytes.wrap(CellUtil.cloneRow(cell)), readPoint, TableRetention.NONE)
        .visitReserved(
            Bytes.wrap(CellUtil.cloneFamily(cell)),
            Long.MAX_VALUE - 1,
            stored -> {
              collector.head(stored, 0);
              return Next.VERSION;
            });
  }
}
