package io.lampone.cli.backup;

import io.lampone.cli.backup.PartFormat.Totals;
import io.lampone.hbase.CellLifetimes;
import io.lampone.protocol.FamilyRetention;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;

/** Reads and checks a part; returns a block only if its checksum matches. Holds one block. */
final class PartReader {

  private final String name;
  private final long fileBytes;
  private final CheckedInputStream checked;
  private final DataInputStream in;

  private byte[] row = {};

  /** True if the head announces lifetimes. */
  private boolean withLifetimes;

  private long rows;
  private long cells;
  private long bytes;

  /** Work on the cells of a block. */
  interface Work {
    void on(Cell cell) throws IOException;
  }

  /**
   * @param name of the file, for messages
   * @param fileBytes how long the file is
   */
  PartReader(InputStream source, String name, long fileBytes) {
    this.name = name;
    this.fileBytes = fileBytes;
    this.checked = new CheckedInputStream(source, new CRC32C());
    this.in = new DataInputStream(checked);
  }

  /**
   * Reads all of it.
   *
   * @param timestamp the part must be of
   * @throws BackupException if it differs from the written part
   */
  Totals read(long timestamp, Work work) throws IOException {
    try {
      if (in.readInt() != PartFormat.MAGIC) {
        throw corrupt("it is no part of a backup");
      }
      byte format = in.readByte();
      withLifetimes = format == PartFormat.FORMAT_WITH_LIFETIMES;
      if (format != PartFormat.FORMAT && !withLifetimes) {
        throw corrupt("format=" + format + " known=" + PartFormat.FORMAT_WITH_LIFETIMES);
      }
      long written = in.readLong();
      if (written != timestamp) {
        throw corrupt("it is of another timestamp, timestamp=" + written);
      }
      for (int length = in.readInt(); length != 0; length = in.readInt()) {
        readBlock(length, work);
      }
      return end();
    } catch (EOFException e) {
      throw corrupt("it ends too early");
    }
  }

  private void readBlock(int length, Work work) throws IOException {
    if (length < 0 || length > PartFormat.MAX_BLOCK_BYTES || length > fileBytes) {
      throw corrupt("a block cannot be so long, bytes=" + length);
    }
    int crc = in.readInt();
    byte[] content = in.readNBytes(length);
    if (content.length < length) {
      throw corrupt("it ends too early");
    }
    if (PartWriter.crc(content) != crc) {
      throw corrupt("checksum of a block, position=" + bytes);
    }
    bytes += length;
    ByteBuffer buffer = ByteBuffer.wrap(content);
    try {
      while (buffer.hasRemaining()) {
        work.on(cell(buffer));
      }
    } catch (BufferUnderflowException e) {
      throw corrupt("a cell is cut off");
    }
  }

  private Cell cell(ByteBuffer buffer) throws IOException {
    byte[] nextRow = bytes(buffer);
    if (!Arrays.equals(row, nextRow)) {
      row = nextRow;
      rows++;
    }
    cells++;
    byte[] family = bytes(buffer);
    byte[] qualifier = bytes(buffer);
    long version = buffer.getLong();
    byte[] value = bytes(buffer);
    long lifetime = withLifetimes ? buffer.getLong() : FamilyRetention.FOREVER;
    if (lifetime != FamilyRetention.FOREVER && !FamilyRetention.isCellLifetime(lifetime)) {
      throw corrupt("no value can live so long, millis=" + lifetime);
    }
    List<Tag> tags =
        lifetime == FamilyRetention.FOREVER ? List.of() : List.of(CellLifetimes.tag(lifetime));
    try {
      return new KeyValue(nextRow, family, qualifier, version, KeyValue.Type.Put, value, tags);
    } catch (IllegalArgumentException e) {
      throw corrupt("HBase takes no such cell: " + e.getMessage());
    }
  }

  private byte[] bytes(ByteBuffer buffer) throws IOException {
    int length = buffer.getInt();
    if (length < 0 || length > buffer.remaining()) {
      throw corrupt("a cell is cut off");
    }
    byte[] content = new byte[length];
    buffer.get(content);
    return content;
  }

  private Totals end() throws IOException {
    int crc = in.readInt();
    byte[] totals = in.readNBytes(PartFormat.END_BYTES);
    if (totals.length < PartFormat.END_BYTES || PartWriter.crc(totals) != crc) {
      throw corrupt("checksum of its end");
    }
    ByteBuffer buffer = ByteBuffer.wrap(totals);
    if (buffer.getLong() != rows || buffer.getLong() != cells || in.read() >= 0) {
      throw corrupt("it holds not what its end says, rows=" + rows + " cells=" + cells);
    }
    return new Totals(rows, cells, bytes, (int) checked.getChecksum().getValue());
  }

  private BackupException corrupt(String what) {
    return damaged(name, what);
  }

  static BackupException damaged(String name, String what) {
    return new BackupException(
        "a file of the backup is damaged: " + what + ", file=" + name,
        "nothing of it can be trusted: take the file from another copy of this backup, or restore"
            + " another backup");
  }
}
