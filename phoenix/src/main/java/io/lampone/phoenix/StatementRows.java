package io.lampone.phoenix;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Mutation;

/**
 * Rows of an indexed table that the parts of one statement write. A part looks for the former index
 * rows of a row before it writes the row: if another part writes the row in between, it would leave
 * the index row of the other.
 *
 * <p>Thread-safe.
 */
final class StatementRows {

  private final Map<ByteBuffer, Write> latest = new HashMap<>();
  private long writes;

  private record Write(SqlContext part, long number) {}

  /** An action that writes the rows. */
  @FunctionalInterface
  interface Writing {
    void run() throws IOException;
  }

  /** Returns the number of writes before this call. */
  synchronized long writes() {
    return writes;
  }

  /**
   * Writes rows, unless one of them was written by another part since this one looked.
   *
   * @param looked number of writes when it looked for the former index rows
   */
  synchronized void write(SqlContext part, long looked, List<Mutation> rows, Writing writing)
      throws IOException {
    for (Mutation row : rows) {
      Write write = latest.get(ByteBuffer.wrap(row.getRow()));
      if (write != null && write.part() != part && write.number() > looked) {
        throw SqlFailures.writtenTwice();
      }
    }
    writing.run();
    writes++;
    for (Mutation row : rows) {
      if (!SqlTable.deletesRow(row)) {
        latest.put(ByteBuffer.wrap(row.getRow()), new Write(part, writes));
      }
    }
  }
}
