package io.lampone.protocol;

import java.util.Base64;

/**
 * Identifies a transaction that has written: its start timestamp and the address of its commit
 * entry, from which the outcome can be determined (protocol page, section 2).
 *
 * @param startTimestamp the start timestamp, a global one
 * @param leader the row and family whose transaction cell is the commit entry
 */
public record TransactionId(long startTimestamp, RowFamily leader) {

  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
  private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

  /** Returns text for {@link #parse}: start timestamp, then table, row and family in base 64. */
  @Override
  public String toString() {
    return Long.toUnsignedString(startTimestamp, 16)
        + "."
        + ENCODER.encodeToString(Bytes.utf8(leader.table()).unsafeArray())
        + "."
        + ENCODER.encodeToString(leader.row().unsafeArray())
        + "."
        + ENCODER.encodeToString(leader.family().unsafeArray());
  }

  /**
   * Parses the output of {@link #toString}.
   *
   * @throws IllegalArgumentException if the text is not a transaction id
   */
  public static TransactionId parse(String text) {
    String[] parts = text.split("\\.", -1);
    try {
      if (parts.length == 4) {
        long start = Long.parseUnsignedLong(parts[0], 16);
        String table = Bytes.wrap(DECODER.decode(parts[1])).toUtf8();
        Bytes row = Bytes.wrap(DECODER.decode(parts[2]));
        Bytes family = Bytes.wrap(DECODER.decode(parts[3]));
        if (Timestamps.isGlobal(start) && !row.isEmpty()) {
          return new TransactionId(start, new RowFamily(table, row, family));
        }
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("not a transaction id, text=" + text, e);
    }
    throw new IllegalArgumentException("not a transaction id, text=" + text);
  }
}
