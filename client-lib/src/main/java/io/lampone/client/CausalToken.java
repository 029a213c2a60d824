package io.lampone.client;

import io.lampone.protocol.Timestamps;

/**
 * Order of events as one client knows it, to be handed to another: whatever the first had seen or
 * done when it made the token is before whatever the second does once it has observed it.
 *
 * @param timestamp the mark of the session; 0 if it has none
 */
public record CausalToken(long timestamp) {

  private static final int RADIX = 16;

  public CausalToken {
    if (timestamp != 0 && timestamp < Timestamps.PLAIN_LIMIT) {
      throw new IllegalArgumentException("not a mark, timestamp=" + timestamp);
    }
  }

  /** Text that {@link #parse} reads back. */
  @Override
  public String toString() {
    return Long.toUnsignedString(timestamp, RADIX);
  }

  /**
   * Reads what {@link #toString} wrote.
   *
   * @throws IllegalArgumentException if the text is not a token
   */
  public static CausalToken parse(String text) {
    try {
      return new CausalToken(Long.parseUnsignedLong(text, RADIX));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a causal token, text=" + text, e);
    }
  }
}
