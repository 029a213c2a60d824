package io.lampone.cli.doctor;

import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;

/** Progress of an examination, row by row, in regions of its table. For one thread. */
final class ExaminedRegions {

  private final TableName table;
  private final byte[][] starts;
  private final Doctor.Listener listener;
  private int begun = 1;

  /**
   * An examination that begins.
   *
   * @param starts first keys of all regions, in order
   */
  ExaminedRegions(TableName table, byte[][] starts, Doctor.Listener listener) {
    this.table = table;
    this.starts = starts;
    this.listener = listener;
  }

  /** Reports a row, which lies above all rows before. */
  void row(byte[] key, long rows) {
    while (begun < starts.length && Bytes.compareTo(starts[begun], key) <= 0) {
      begun++;
    }
    listener.progress(table, begun - 1, starts.length, rows);
  }

  /** Reports the end of the table. */
  void end(long rows) {
    listener.progress(table, starts.length, starts.length, rows);
  }
}
