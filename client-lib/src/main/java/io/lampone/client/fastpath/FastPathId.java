package io.lampone.client.fastpath;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import java.util.Base64;

/**
 * Id of a fast-path write, with the row that holds its outcome.
 *
 * @param table name with its namespace, in HBase's notation
 * @param row one of the rows that the operation writes
 * @param operation id that is stored with the written cells
 * @param above exclusive lower bound of its version: the client's mark when it was first sent
 */
public record FastPathId(String table, Bytes row, OperationId operation, long above) {

  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
  private static final Base64.Decoder DECODER = Base64.getUrlDecoder();
  private static final int PARTS = 5;
  private static final int RADIX = 16;

  /** Returns the text form for {@link #parse}: three numbers, then table and row in base 64. */
  @Override
  public String toString() {
    return Long.toUnsignedString(operation.client(), RADIX)
        + "."
        + Long.toUnsignedString(operation.counter(), RADIX)
        + "."
        + Long.toUnsignedString(above, RADIX)
        + "."
        + ENCODER.encodeToString(Bytes.utf8(table).unsafeArray())
        + "."
        + ENCODER.encodeToString(row.unsafeArray());
  }

  /**
   * Parses the text form that {@link #toString} returns.
   *
   * @throws IllegalArgumentException if the text is not the id of a fast-path write
   */
  public static FastPathId parse(String text) {
    String[] parts = text.split("\\.", -1);
    try {
      if (parts.length == PARTS) {
        OperationId operation =
            new OperationId(
                Long.parseUnsignedLong(parts[0], RADIX), Long.parseUnsignedLong(parts[1], RADIX));
        long above = Long.parseUnsignedLong(parts[2], RADIX);
        String table = Bytes.wrap(DECODER.decode(parts[3])).toUtf8();
        Bytes row = Bytes.wrap(DECODER.decode(parts[4]));
        if (!operation.isTransaction() && above >= 0 && !table.isEmpty() && !row.isEmpty()) {
          return new FastPathId(table, row, operation, above);
        }
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("not the name of a fast-path write, text=" + text, e);
    }
    throw new IllegalArgumentException("not the name of a fast-path write, text=" + text);
  }
}
