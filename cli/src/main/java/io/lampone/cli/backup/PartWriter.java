package io.lampone.cli.backup;

import io.lampone.cli.backup.PartFormat.Totals;
import io.lampone.hbase.CellLifetimes;
import io.lampone.protocol.Timestamps;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;

/** Writes a part; holds one block. Not thread-safe. */
final class PartWriter {

  private final CheckedOutputStream checked;
  private final DataOutputStream out;
  private final ByteArrayOutputStream block = new ByteArrayOutputStream();
  private final DataOutputStream cellsOfBlock = new DataOutputStream(block);

  /** The row of the last cell; empty before the first, as no row is. */
  private byte[] row = {};

  private long rows;
  private long cells;
  private long bytes;

  PartWriter(OutputStream target, long timestamp) throws IOException {
    checked = new CheckedOutputStream(target, new CRC32C());
    out = new DataOutputStream(checked);
    out.writeInt(PartFormat.MAGIC);
    out.writeByte(PartFormat.FORMAT_WITH_LIFETIMES);
    out.writeLong(timestamp);
  }

  void write(Cell cell) throws IOException {
    if (!CellUtil.matchingRows(cell, row)) {
      row = CellUtil.cloneRow(cell);
      rows++;
    }
    cells++;
    write(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength());
    write(cell.getFamilyArray(), cell.getFamilyOffset(), cell.getFamilyLength());
    write(cell.getQualifierArray(), cell.getQualifierOffset(), cell.getQualifierLength());
    cellsOfBlock.writeLong(atBirth(cell.getTimestamp()));
    write(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    cellsOfBlock.writeLong(CellLifetimes.millis(cell));
    if (block.size() >= PartFormat.BLOCK_BYTES) {
      writeBlock();
    }
  }

  /**
   * Returns the autocommitted version, as freezing does: the order of versions stays (protocol
   * page, section 11).
   */
  private static long atBirth(long version) {
    return Timestamps.needsTransactionCell(version)
        ? version + Timestamps.FIRST_FAST_PATH_LOCAL
        : version;
  }

  /** Rows so far. */
  long rows() {
    return rows;
  }

  /** Bytes of cells so far. */
  long bytes() {
    return bytes;
  }

  /** Writes the end; the caller closes the stream. */
  Totals end() throws IOException {
    if (block.size() > 0) {
      writeBlock();
    }
    byte[] totals = ByteBuffer.allocate(PartFormat.END_BYTES).putLong(rows).putLong(cells).array();
    out.writeInt(0);
    out.writeInt(crc(totals));
    out.write(totals);
    out.flush();
    return new Totals(rows, cells, bytes, (int) checked.getChecksum().getValue());
  }

  private void writeBlock() throws IOException {
    byte[] content = block.toByteArray();
    block.reset();
    out.writeInt(content.length);
    out.writeInt(crc(content));
    out.write(content);
    bytes += content.length;
  }

  private void write(byte[] array, int offset, int length) throws IOException {
    cellsOfBlock.writeInt(length);
    cellsOfBlock.write(array, offset, length);
  }

  static int crc(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content);
    return (int) crc.getValue();
  }

  /** Returns true if the row is the one of the last cell. */
  boolean isIn(byte[] other) {
    return Arrays.equals(row, other);
  }
}
