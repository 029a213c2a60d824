package io.lampone.protocol.request;

/**
 * Limits of the cost of one request for one region, and of what is stored because of it. More is
 * refused as {@link Refusal.Code#TOO_LARGE}, each time and before any lock is taken; only where it
 * says so as {@link Refusal.Code#BUSY}, for now. A client cuts what it sends to fit. No request
 * that keeps to these numbers costs a server more than linear time and memory.
 */
public final class RequestLimits {

  /** Rows of one request, those of all its parts together: all are locked at once. */
  public static final int MAX_ROWS = 10_000;

  /** Parts of one request of the work after commits. */
  public static final int MAX_PARTS = 1_000;

  /** Written cells of one request. */
  public static final int MAX_CELLS = 100_000;

  /** Judgments that a read brings along. */
  public static final int MAX_JUDGMENTS = 1_000;

  /**
   * Bytes of a request that writes, before it is decoded: several cells of the size that HBase
   * takes by default (10 MB).
   */
  public static final int MAX_WRITE_BYTES = 64 << 20;

  /** Bytes of a request that reads, before it is decoded. */
  public static final int MAX_READ_BYTES = 256 << 10;

  /** Bytes of memory of a decoded request beside the bytes that it came in. */
  public static final int MAX_DECODED_BYTES = 32 << 20;

  /** Bytes of memory, roughly, that decoding makes of a byte string beside its bytes. */
  public static final int OBJECT_BYTES = 64;

  /**
   * Followers that a leader's cell lists. Who has more lists none and says that the list is not
   * complete; then they are searched for.
   */
  public static final int MAX_FOLLOWERS = 4_096;

  /** Encoded bytes of the followers that a leader's cell lists. */
  public static final int MAX_FOLLOWER_BYTES = 128 << 10;

  /** Bytes of a transaction cell, with what earlier flushes have left in it. */
  public static final int MAX_TRANSACTION_CELL_BYTES = 256 << 10;

  /**
   * Undecided intents of a row and family that no commit has come after; another one is refused as
   * {@link Refusal.Code#BUSY}.
   */
  public static final int MAX_UNDECIDED = 64;

  /** Bytes of the name of a column family. */
  public static final int MAX_FAMILY_BYTES = 127;

  /** Bytes of a row key. */
  public static final int MAX_ROW_BYTES = Short.MAX_VALUE;

  private RequestLimits() {}

  /**
   * Refuses an attribute before anything of it is decoded.
   *
   * @throws TooLargeException if it is longer than {@code limit}
   */
  static void requireBytes(byte[] attribute, int limit) {
    if (attribute.length > limit) {
      throw new TooLargeException("request too large", attribute.length, limit);
    }
  }
}
