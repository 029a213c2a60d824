package io.lampone.protocol;

/**
 * The mark of a session: the highest commit timestamp, fast-path version or start timestamp that it
 * has seen. A session may pass it to another session as a causal token (protocol page, section 8).
 * A region server raises its local version clock to the mark before it executes the request, so
 * that nothing is ordered before what the session has seen.
 *
 * <p>Fast-path requests contain the mark; any other operation may carry it in the attribute {@link
 * #ATTRIBUTE}: 8 bytes, most significant first, 0 = none.
 */
public final class CausalTimestamp {

  /** Name of the attribute. */
  public static final String ATTRIBUTE = "lampone.mark";

  /** The mark of a session that has seen nothing yet. */
  public static final long NONE = 0;

  private CausalTimestamp() {}

  /** Returns the value of the attribute. */
  public static byte[] encode(long mark) {
    return new Encoder(Long.BYTES).i64(mark).toByteArray();
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @throws MalformedException if the bytes are not a mark
   */
  public static long decode(byte[] array) {
    Decoder in = new Decoder(array);
    long mark = in.i64();
    in.end("mark");
    return mark;
  }
}
