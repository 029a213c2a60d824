package io.lampone.protocol;

/**
 * The mark of a session: the highest of its commit timestamps, fast-path versions and start
 * timestamps, which it may hand to another session as a causal token (protocol page, section 8). A
 * region server raises its local version clock to it before it does anything else, so that nothing
 * is ordered before what the session knows of.
 *
 * <p>Requests of the fast path carry it inside; any other operation may carry it in the attribute
 * {@link #ATTRIBUTE}: 8 bytes, most significant first. 0 = none.
 */
public final class CausalTimestamp {

  /** Name of the attribute. */
  public static final String ATTRIBUTE = "lampone.mark";

  /** A session that knows of nothing yet. */
  public static final long NONE = 0;

  private CausalTimestamp() {}

  /** The bytes of the attribute. */
  public static byte[] encode(long mark) {
    return new Encoder(Long.BYTES).i64(mark).toByteArray();
  }

  /**
   * Reads what {@link #encode} wrote.
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
