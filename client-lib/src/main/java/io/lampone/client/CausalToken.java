package io.lampone.client;

import io.lampone.protocol.Timestamps;

/**
 * Causal position of one client, for another to observe. All that the first had seen or done when
 * it made the token is ordered before all that the second does after observing the token.
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

  /** Returns the text form, which {@link #parse} reads. */
  @Override
  public String toString() {
    return Long.toUnsignedString(timestamp, RADIX);
  }

  /**
   * Parses the text form that {@link #toString} returns.
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
