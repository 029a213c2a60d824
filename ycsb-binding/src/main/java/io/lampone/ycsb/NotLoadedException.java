package io.lampone.ycsb;

import java.io.IOException;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import site.ycsb.Status;

/** Signals an absent row: the run would not measure the requested workload. */
final class NotLoadedException extends IOException {

  private static final long serialVersionUID = 1;

  private NotLoadedException(byte[] row) {
    super(
        "the row is absent: load the table first, with the same recordcount, row="
            + Bytes.toStringBinary(row));
  }

  /** Returns {@code read}; fails if it is empty. */
  static Result require(Result read, byte[] row) throws NotLoadedException {
    if (read.isEmpty()) {
      throw new NotLoadedException(row);
    }
    return read;
  }

  /** Returns the status for YCSB's counts. */
  Status status() {
    return new Status("NOT_LOADED", String.valueOf(getMessage()));
  }
}
