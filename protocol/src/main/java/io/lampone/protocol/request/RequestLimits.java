package io.lampone.protocol.request;

/**
 * Limits of the cost of one request to a region, and of what is stored because of it. A request
 * above a limit is refused as {@link Refusal.Code#TOO_LARGE}, permanently and before any lock is
 * taken, or temporarily as {@link Refusal.Code#BUSY} if so stated. Clients split their requests to
 * fit. A request within the limits costs a server at most linear time and memory.
 */
public final class RequestLimits {

  /** Maximum rows of a request, including those of all its parts; all are locked at once. */
  public static final int MAX_ROWS = 10_000;

  /** Maximum parts of a request for the work after commits. */
  public static final int MAX_PARTS = 1_000;

  /** Maximum written cells of a request. */
  public static final int MAX_CELLS = 100_000;

  /** Maximum judgments in a read. */
  public static final int MAX_JUDGMENTS = 1_000;

  /**
   * Maximum bytes of a write before decoding: several cells of HBase's default maximum size (10
   * MB).
   */
  public static final int MAX_WRITE_BYTES = 64 << 20;

  /**
   * Maximum bytes of the values that the increments and appends of a request make, including what
   * they append to.
   */
  public static final int MAX_BUILT_BYTES = 64 << 20;

  /** Maximum bytes of a read before decoding. */
  public static final int MAX_READ_BYTES = 256 << 10;

  /** Maximum memory of a decoded request, in bytes, not counting its encoded bytes. */
  public static final int MAX_DECODED_BYTES = 32 << 20;

  /** Approximate memory, in bytes, that a decoded byte string takes beside its bytes. */
  public static final int OBJECT_BYTES = 64;

  /**
   * Maximum followers listed in a leader's cell. A transaction with more lists none and marks the
   * list incomplete; its followers are then found by a search.
   */
  public static final int MAX_FOLLOWERS = 4_096;

  /** Maximum encoded bytes of the followers listed in a leader's cell. */
  public static final int MAX_FOLLOWER_BYTES = 128 << 10;

  /** Maximum bytes of a transaction cell, including what earlier flushes have left in it. */
  public static final int MAX_TRANSACTION_CELL_BYTES = 256 << 10;

  /**
   * Maximum undecided intents of a row and family above its newest commit; a further one is refused
   * as {@link Refusal.Code#BUSY}.
   */
  public static final int MAX_UNDECIDED = 64;

  /** Maximum bytes of the name of a column family. */
  public static final int MAX_FAMILY_BYTES = 127;

  /** Maximum bytes of a row key. */
  public static final int MAX_ROW_BYTES = Short.MAX_VALUE;

  private RequestLimits() {}

  /**
   * Refuses an attribute before anything is decoded.
   *
   * @throws TooLargeException if it is longer than {@code limit}
   */
  static void requireBytes(byte[] attribute, int limit) {
    if (attribute.length > limit) {
      throw new TooLargeException("request too large", attribute.length, limit);
    }
  }
}
