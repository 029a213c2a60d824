package io.lampone.coprocessor.row;

import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.intent.StoredRow.StoredCell;
import io.lampone.coprocessor.core.intent.StoredRow.ValueReader;
import io.lampone.hbase.CellLabels;
import io.lampone.hbase.CellLifetimes;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.hbase.ByteBufferExtendedCell;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagUtil;
import org.jspecify.annotations.Nullable;

/**
 * Presents HBase's cells to the rules, one after the other. Bytes are copied only on request: a
 * cell may lie in a block that HBase reuses.
 */
public final class CellCursor implements StoredCell {

  /**
   * Type of the tag that holds the id of the operation that wrote a cell; HBase reserves types up
   * to 64 for itself.
   */
  public static final byte OPERATION_TAG = 76;

  /** Current cell; set by the one thread that reads. */
  private @Nullable Cell cell;

  public void moveTo(Cell next) {
    cell = next;
  }

  /** Returns the row's key. */
  public Bytes row() {
    return Bytes.wrap(CellUtil.cloneRow(current()));
  }

  public boolean isIn(Bytes family) {
    return CellUtil.matchingFamily(current(), family.unsafeArray());
  }

  @Override
  public Bytes family() {
    return Bytes.wrap(CellUtil.cloneFamily(current()));
  }

  @Override
  public Bytes qualifier() {
    return Bytes.wrap(CellUtil.cloneQualifier(current()));
  }

  @Override
  public boolean isAt(Bytes qualifier) {
    return CellUtil.matchingQualifier(current(), qualifier.unsafeArray());
  }

  @Override
  public long version() {
    return current().getTimestamp();
  }

  @Override
  public boolean isEmpty() {
    return current().getValueLength() == 0;
  }

  @Override
  public byte[] value() {
    return CellUtil.cloneValue(current());
  }

  @Override
  public boolean isLong() {
    return current().getValueLength() > StoredRow.LONG_BYTES;
  }

  @Override
  public <T> T read(ValueReader<T> reader) {
    Cell shown = current();
    return reader.read(shown.getValueArray(), shown.getValueOffset(), shown.getValueLength());
  }

  @Override
  public boolean isOf(OperationId id) {
    if (current().getTagsLength() == 0) {
      return false;
    }
    return PrivateCellUtil.getTag(current(), OPERATION_TAG)
        .map(tag -> Arrays.equals(Tag.cloneValue(tag), id.toBytes()))
        .orElse(false);
  }

  @Override
  public long lifetimeMillis() {
    return CellLifetimes.millis(current());
  }

  @Override
  public Bytes labels() {
    List<Tag> labels = CellLabels.of(current());
    return labels.isEmpty() ? Bytes.EMPTY : Bytes.wrap(TagUtil.fromList(labels));
  }

  /**
   * Returns true if the column's first byte alone sorts it after all columns that begin with {@code
   * prefix}.
   */
  public boolean isFarBehind(Bytes prefix) {
    Cell shown = current();
    if (shown.getQualifierLength() == 0) {
      return false;
    }
    byte first =
        shown instanceof ByteBufferExtendedCell buffered
            ? buffered.getQualifierByteBuffer().get(buffered.getQualifierPosition())
            : shown.getQualifierArray()[shown.getQualifierOffset()];
    return Byte.compareUnsigned(first, prefix.unsafeArray()[0]) > 0;
  }

  public boolean isReserved(Bytes prefix) {
    return PrivateCellUtil.qualifierStartsWith(current(), prefix.unsafeArray());
  }

  public boolean isBefore(Bytes qualifier) {
    byte[] other = qualifier.unsafeArray();
    return CellUtil.compareQualifiers(current(), other, 0, other.length) < 0;
  }

  private Cell current() {
    return Objects.requireNonNull(cell);
  }
}
