package io.lampone.faultlab.work.large;

import io.lampone.faultlab.work.HistoryCells;
import io.lampone.faultlab.work.Stamps;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Result;

/**
 * The header row of a group.
 *
 * @param stamp of the transaction that has written the group; 0 if none has
 * @param began start timestamp of that transaction; 0 if it was the fast path
 * @param columns all others of the row
 */
public record GroupHeader(long stamp, long began, NavigableMap<String, byte[]> columns) {

  /** The column of the register. */
  static final String REGISTER = "f:q0";

  /** The column that holds the start timestamp of the writer, where values expire. */
  static final String BEGAN = "f:w";

  /** The header of a group that was just written. */
  public GroupHeader(long stamp, long began) {
    this(stamp, began, new TreeMap<>());
  }

  /** Reads a row. */
  public static GroupHeader of(Result row) {
    NavigableMap<String, byte[]> columns = GroupReader.columns(row);
    byte[] register = columns.remove(REGISTER);
    byte[] began = columns.remove(BEGAN);
    List<Long> stamp = HistoryCells.elements(register);
    return new GroupHeader(
        stamp.isEmpty() ? 0 : stamp.get(0),
        began == null ? 0 : ByteBuffer.wrap(began).getLong(),
        columns);
  }

  /** Returns the number of rows behind it. */
  public int rows() {
    return (int) Stamps.content(stamp);
  }

  /** Returns the elements of the register. */
  public List<Long> elements() {
    return stamp == 0 ? List.of() : List.of(stamp);
  }
}
