package io.lampone.faultlab.work.large;

import io.lampone.faultlab.work.HistoryCells;
import io.lampone.faultlab.work.Stamps;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Result;

/**
 * The header row of a group.
 *
 * @param stamp of the transaction that has written the group; 0 if none has
 * @param began timestamp of its cells, from which lifetimes count: that of its start, or, of a
 *     commit in one region, that of its commit
 * @param columns all others of the row
 */
public record GroupHeader(long stamp, long began, NavigableMap<String, byte[]> columns) {

  /** The column of the register. */
  static final String REGISTER = "f:q0";

  /** The header of a group that was just written. */
  public GroupHeader(long stamp, long began) {
    this(stamp, began, new TreeMap<>());
  }

  /** Reads a row. */
  public static GroupHeader of(Result row) {
    NavigableMap<String, byte[]> columns = GroupReader.columns(row);
    byte[] register = columns.remove(REGISTER);
    List<Long> stamp = HistoryCells.elements(register);
    return new GroupHeader(
        stamp.isEmpty() ? 0 : stamp.get(0),
        row.isEmpty() ? 0 : row.rawCells()[0].getTimestamp(),
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
