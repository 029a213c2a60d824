package io.lampone.coprocessor.collection;

import io.lampone.coprocessor.core.retention.CollectionScope;
import io.lampone.coprocessor.core.retention.FamilyCollector;
import io.lampone.coprocessor.core.retention.RetentionDecision;
import io.lampone.coprocessor.row.CellCursor;
import io.lampone.hbase.CellLifetimes;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Shipper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Output of a flush or compaction of one store: the cells of HBase's own scanner without those that
 * {@link FamilyCollector} drops. No failure here may lose a cell or stop a flush, which would stop
 * the server: a row whose state cannot be determined is kept whole.
 *
 * <p>The cells of a row up to the end of its reserved columns are held back until all are known,
 * because the decisions about them depend on one another. These are few except in rows with very
 * many versions: when they become too many, the reserved columns are read separately instead
 * ({@link ReservedColumnReader}). The held cells are bounded either way.
 */
public final class CollectingScanner implements InternalScanner, Shipper {

  private static final Logger LOG = LoggerFactory.getLogger(CollectingScanner.class);

  /** Maximum number of cells held back. */
  public static final int MAX_HELD_CELLS = 1 << 16;

  /** Maximum size of the cells held back, in bytes. */
  static final long MAX_HELD_BYTES = 8 << 20;

  private final InternalScanner stored;
  private final CollectionScope scope;
  private final ReservedColumnReader reservedColumns;
  private final int maxHeldCells;
  private final FamilyCollector collector;
  private final CellCursor cursor = new CellCursor();
  private final List<Cell> batch = new ArrayList<>();
  private final List<Cell> held = new ArrayList<>();
  private long heldBytes;

  /** True while cells of the row's head are being held back. */
  private boolean inHead;

  /** Copy of the current row's key; null before the first. */
  private byte @Nullable [] row;

  private final Totals totals;

  private long kept;
  private long dropped;
  private long frozen;

  /**
   * True if all values written are committed at birth and never expire. A separate object, because
   * it outlives this scanner, which holds much memory.
   */
  private final AtomicBoolean committedOnly = new AtomicBoolean(true);

  /** Receiver of the numbers of cells, at the end. */
  @FunctionalInterface
  public interface Totals {
    void collected(long kept, long dropped, long frozen);
  }

  public CollectingScanner(
      InternalScanner stored,
      CollectionScope scope,
      ReservedColumnReader reservedColumns,
      int maxHeldCells,
      Totals totals) {
    this.stored = stored;
    this.scope = scope;
    this.reservedColumns = reservedColumns;
    this.maxHeldCells = maxHeldCells;
    this.totals = totals;
    this.collector = new FamilyCollector(scope);
  }

  /** Returns true if only values committed at birth were written; valid at the end. */
  public AtomicBoolean committedOnly() {
    return committedOnly;
  }

  @Override
  public boolean next(List<Cell> result, ScannerContext context) throws IOException {
    batch.clear();
    boolean more = stored.next(batch, context);
    for (Cell cell : batch) {
      take(cell, result);
    }
    batch.clear();
    if (!more && inHead) {
      endHead(result);
    }
    return more;
  }

  private void take(Cell cell, List<Cell> result) {
    byte[] current = row;
    if (current == null || !CellUtil.matchingRows(cell, current)) {
      if (inHead) {
        endHead(result);
      }
      row = CellUtil.cloneRow(cell);
      collector.beginRow();
      inHead = true;
    }
    if (!inHead) {
      write(cell, result);
      return;
    }
    cursor.moveTo(cell);
    boolean reserved = cursor.isReserved(Reserved.PREFIX);
    if (!reserved && !cursor.isBefore(Reserved.PREFIX)) {
      endHead(result);
      write(cell, result);
      return;
    }
    held.add(cell);
    heldBytes += cell.heapSize();
    if (reserved) {
      tellHead(cell);
    }
    if (held.size() > maxHeldCells || heldBytes > MAX_HELD_BYTES) {
      readAside();
      endHead(result);
    }
  }

  private void tellHead(Cell cell) {
    try {
      collector.head(cursor, cell.getSequenceId());
    } catch (RuntimeException e) {
      keepRow(e);
    }
  }

  private void endHead(List<Cell> result) {
    inHead = false;
    for (Cell cell : held) {
      write(cell, result);
    }
    held.clear();
    heldBytes = 0;
  }

  private void readAside() {
    collector.beginRow();
    collector.keepTombstones();
    try {
      reservedColumns.tell(held.get(0), collector);
    } catch (IOException | RuntimeException e) {
      // The region may be closing, or may not be open yet.
      keepRow(e);
    }
  }

  private void write(Cell cell, List<Cell> result) {
    switch (dispose(cell)) {
      case KEEP -> {
        kept++;
        note(cell);
        result.add(cell);
      }
      case FREEZE -> {
        frozen++;
        Cell instead = frozen(cell);
        note(instead);
        result.add(instead);
      }
      case DROP -> dropped++;
    }
  }

  /** Updates {@link #committedOnly} for a cell written; the cursor is at it or its original. */
  private void note(Cell cell) {
    if (committedOnly.get()
        && (cell.getType() != Cell.Type.Put
            || cursor.isReserved(Reserved.PREFIX)
            || !Timestamps.isCommittedAtBirth(cell.getTimestamp())
            || CellLifetimes.millis(cell) != FamilyRetention.FOREVER)) {
      committedOnly.set(false);
    }
  }

  private RetentionDecision dispose(Cell cell) {
    if (cell.getType() != Cell.Type.Put) {
      return RetentionDecision
          .KEEP; // a delete marker of HBase, from before the table became transactional
    }
    try {
      cursor.moveTo(cell);
      return collector.dispose(cursor, cell.getSequenceId());
    } catch (RuntimeException e) {
      keepRow(e);
      return RetentionDecision.KEEP;
    }
  }

  private void keepRow(Exception why) {
    collector.keepRow();
    LOG.warn(
        "Nothing is collected from a row, region={} row={}",
        reservedColumns.name(),
        row == null ? "" : Bytes.wrap(row),
        why);
  }

  /**
   * Returns {@code cell} as a fast write would have written it, without the tag of its operation.
   * Other tags are HBase's: a lifetime, the location of a large value, read permissions.
   */
  private static Cell frozen(Cell cell) {
    long version = FamilyCollector.frozen(cell.getTimestamp());
    List<Tag> tags = cell.getTagsLength() == 0 ? List.of() : PrivateCellUtil.getTags(cell);
    List<Tag> left =
        tags.stream().filter(tag -> tag.getType() != CellCursor.OPERATION_TAG).toList();
    if (version == cell.getTimestamp() && left.size() == tags.size()) {
      return cell;
    }
    KeyValue written =
        new KeyValue(
            cell.getRowArray(),
            cell.getRowOffset(),
            cell.getRowLength(),
            cell.getFamilyArray(),
            cell.getFamilyOffset(),
            cell.getFamilyLength(),
            cell.getQualifierArray(),
            cell.getQualifierOffset(),
            cell.getQualifierLength(),
            version,
            KeyValue.Type.Put,
            cell.getValueArray(),
            cell.getValueOffset(),
            cell.getValueLength(),
            left);
    written.setSequenceId(cell.getSequenceId());
    return written;
  }

  @Override
  public void shipped() throws IOException {
    // HBase may reuse the memory of cells that it has passed: held ones are copied first.
    held.replaceAll(KeyValueUtil::copyToNewKeyValue);
    if (stored instanceof Shipper shipper) {
      shipper.shipped();
    }
  }

  @Override
  public void close() throws IOException {
    totals.collected(kept, dropped, frozen);
    if (dropped + frozen > 0) {
      LOG.info(
          "Collected, region={} safePoint={} complete={} kept={} dropped={} frozen={}",
          reservedColumns.name(),
          scope.safePoint(),
          scope.complete(),
          kept,
          dropped,
          frozen);
    }
    stored.close();
  }
}
