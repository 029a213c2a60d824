package io.lampone.coprocessor.row;

import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Visitor;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.jspecify.annotations.Nullable;

/**
 * Reserved columns of a family, read ahead of a scan in which other columns come first: Phoenix's
 * encoded ones. Opening a scanner for each row costs many times what the scan does. The number of
 * rows grows while they are used, and shrinks if the scan skips them.
 *
 * <p>The scan is older than what is read here, as {@link
 * io.lampone.coprocessor.core.visibility.FamilyView} demands. Belongs to the thread of the request.
 */
final class ReservedAhead {

  private static final int MOST_ROWS = 128;
  private static final int GROWTH = 4;

  /** A row with more cells, or a longer one, is read by itself, which stops where it may. */
  private static final int MOST_CELLS = 16;

  /** Bytes after which no more rows are read: an open scan keeps them until its next batch. */
  private static final int MOST_BYTES = 64 << 10;

  private final Bytes family;
  private final long highest;
  private final boolean reversed;

  /** Rows that the scan has not reached yet, in its order. */
  private final Deque<Row> rows = new ArrayDeque<>();

  /** Number of rows read last time; 0 before the first. */
  private int read;

  /** Number of them that the scan has asked for. */
  private int used;

  /**
   * @param highest version of a cell that is read, at most
   * @param reversed order of the scan
   */
  ReservedAhead(Bytes family, long highest, boolean reversed) {
    this.family = family;
    this.highest = highest;
    this.reversed = reversed;
  }

  /**
   * Passes the reserved columns of the current row.
   *
   * @return false if nothing was passed, because the row has to be read by itself
   */
  boolean visit(HBaseRow current, Visitor visitor) throws IOException {
    byte[] key = current.key().unsafeArray();
    Row row = take(key);
    if (row == null) {
      read = used * 2 >= read ? Math.min(MOST_ROWS, read * GROWTH) : read / GROWTH;
      used = 0;
      if (read <= 1) {
        read = 1;
        used = 1;
        return false;
      }
      readFrom(current, key);
      row = take(key);
    }
    used++;
    return row != null && row.pass(visitor);
  }

  private @Nullable Row take(byte[] key) {
    Row row = rows.poll();
    while (row != null && !row.is(key)) {
      row = rows.poll();
    }
    return row;
  }

  private void readFrom(HBaseRow current, byte[] key) throws IOException {
    Scan scan =
        new Scan()
            .withStartRow(key)
            .setReversed(reversed)
            .addColumn(family.unsafeArray(), Reserved.TRANSACTION.unsafeArray())
            .addColumn(family.unsafeArray(), Reserved.FAMILY_TOMBSTONE.unsafeArray())
            .readAllVersions()
            .setTimeRange(0, highest + 1)
            .setReadType(Scan.ReadType.PREAD);
    scan.setFilter(new Collecting(read));
    current.read(scan);
  }

  /** Keeps the cells of some rows, and returns none. */
  private final class Collecting extends FilterBase {

    private int left;
    private long bytes;
    private boolean done;
    private @Nullable Row row;

    Collecting(int left) {
      this.left = left;
    }

    @Override
    public boolean filterRowKey(Cell first) {
      done = left == 0 || bytes > MOST_BYTES;
      if (!done) {
        left--;
        row = new Row(CellUtil.cloneRow(first));
        rows.add(row);
      }
      return done;
    }

    @Override
    public boolean filterAllRemaining() {
      return done;
    }

    @Override
    public ReturnCode filterCell(Cell cell) {
      if (row == null || !row.add(cell)) {
        return ReturnCode.NEXT_ROW;
      }
      bytes += cell.getSerializedSize();
      return ReturnCode.SKIP;
    }
  }

  private static final class Row {

    private final byte[] key;
    private final List<Cell> cells = new ArrayList<>(2);
    private boolean whole = true;

    Row(byte[] key) {
      this.key = key;
    }

    boolean is(byte[] other) {
      return Arrays.equals(key, other);
    }

    boolean add(Cell cell) {
      whole &= cells.size() < MOST_CELLS && cell.getValueLength() <= StoredRow.LONG_BYTES;
      if (whole) {
        cells.add(KeyValueUtil.copyToNewKeyValue(cell));
      }
      return whole;
    }

    boolean pass(Visitor visitor) throws IOException {
      if (!whole) {
        return false;
      }
      CellCursor cursor = new CellCursor();
      Cell done = null;
      for (Cell cell : cells) {
        if (done != null && CellUtil.matchingQualifier(cell, done)) {
          continue;
        }
        cursor.moveTo(cell);
        Next next = visitor.visit(cursor);
        if (next == Next.COLUMN) {
          done = cell;
        } else if (next != Next.VERSION) {
          break;
        }
      }
      return true;
    }
  }
}
