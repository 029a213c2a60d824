package io.lampone.coprocessor;

import io.lampone.coprocessor.core.fence.Statements;
import io.lampone.hbase.CellLabels;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.jspecify.annotations.Nullable;

/**
 * Inspection without a pass: shows which cells exist and the states of transactions, and nothing
 * else that a reader of the table could not know. Values are empty. A transaction cell keeps its
 * state and the number of listed followers; a leader is named as in a pointer. Labels stay: the
 * filter of an authorizer hides cells by them.
 *
 * <p>The filter of the scan, an authorizer's or the client's, receives only redacted cells: its
 * selection would otherwise disclose the originals.
 */
final class RedactingFilter extends FilterBase {

  private final Statements statements;
  private final String table;
  private final @Nullable Filter inner;
  private final boolean keepsLengths;

  /** The cell redacted last, and the result; HBase passes one cell several times. */
  private @Nullable Cell last;

  private @Nullable Cell lastRedacted;

  /**
   * @param inner the filter of the scan; null = none
   * @param keepsLengths whether values are zeros of the same length instead of empty, for scans
   *     that measure a table
   */
  RedactingFilter(
      Statements statements, String table, @Nullable Filter inner, boolean keepsLengths) {
    this.statements = statements;
    this.table = table;
    this.inner = inner;
    this.keepsLengths = keepsLengths;
  }

  @Override
  public ReturnCode filterCell(Cell cell) throws IOException {
    Cell redacted = redacted(cell);
    return inner == null ? ReturnCode.INCLUDE : inner.filterCell(redacted);
  }

  @Override
  public Cell transformCell(Cell cell) throws IOException {
    Cell redacted = redacted(cell);
    return inner == null ? redacted : inner.transformCell(redacted);
  }

  @Override
  public boolean filterRowKey(Cell cell) throws IOException {
    return inner != null && inner.filterRowKey(redacted(cell));
  }

  @Override
  public @Nullable Cell getNextCellHint(Cell cell) throws IOException {
    return inner == null ? null : inner.getNextCellHint(redacted(cell));
  }

  private Cell redacted(Cell cell) throws IOException {
    Cell known = lastRedacted;
    if (known == null || last != cell) {
      try {
        known = redact(cell);
      } catch (RuntimeException e) {
        throw Guard.told("filterCell", e);
      }
      last = cell;
      lastRedacted = known;
    }
    return known;
  }

  private Cell redact(Cell cell) {
    if (cell.getType() != Cell.Type.Put || cell.getValueLength() == 0) {
      return cell;
    }
    byte[] value = keepsLengths ? new byte[cell.getValueLength()] : HConstants.EMPTY_BYTE_ARRAY;
    if (CellUtil.matchingQualifier(cell, Reserved.TRANSACTION.unsafeArray())) {
      value = redactedValue(cell);
    }
    return new KeyValue(
        CellUtil.cloneRow(cell),
        CellUtil.cloneFamily(cell),
        CellUtil.cloneQualifier(cell),
        cell.getTimestamp(),
        KeyValue.Type.Put,
        value,
        CellLabels.of(cell));
  }

  /** Returns the redacted value; empty if the cell cannot be decoded. */
  private byte[] redactedValue(Cell cell) {
    TransactionCell stored;
    try {
      stored =
          TransactionCell.decode(
              cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    } catch (MalformedException e) {
      return HConstants.EMPTY_BYTE_ARRAY;
    }
    long start = cell.getTimestamp();
    Optional<RowFamily> leader =
        stored
            .leader()
            .map(place -> statements.shown(table, new TransactionId(start, place)))
            .map(TransactionId::leader);
    return stored.withoutPlaces(leader).encode();
  }

  @Override
  public void reset() throws IOException {
    last = null;
    lastRedacted = null;
    if (inner != null) {
      inner.reset();
    }
  }

  @Override
  public boolean filterAllRemaining() throws IOException {
    return inner != null && inner.filterAllRemaining();
  }

  @Override
  public boolean hasFilterRow() {
    return inner != null && inner.hasFilterRow();
  }

  @Override
  public void filterRowCells(List<Cell> cells) throws IOException {
    if (inner != null) {
      inner.filterRowCells(cells);
    }
  }

  @Override
  public boolean filterRow() throws IOException {
    return inner != null && inner.filterRow();
  }

  @Override
  public boolean isFamilyEssential(byte[] name) throws IOException {
    return inner == null || inner.isFamilyEssential(name);
  }

  @Override
  public void setReversed(boolean reversed) {
    super.setReversed(reversed);
    if (inner != null) {
      inner.setReversed(reversed);
    }
  }
}
