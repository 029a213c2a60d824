package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;

/**
 * Reads one transaction cell in any state. Carried by a Get of the leader's row in the attribute
 * {@link #ATTRIBUTE} (protocol page, section 3). In the attribute {@link #RESOLVE_ATTRIBUTE}, on
 * any row of the transaction, it asks the server to determine the transaction's fate.
 *
 * <pre>
 *   request = version:u8=1 start:i64 floor:i64 family:bytes
 * </pre>
 *
 * @param startTimestamp the transaction's start timestamp: the version of its cell
 * @param floor the smallest admissible start timestamp known to the client
 * @param family the family of the transaction cell; ignored in {@link #RESOLVE_ATTRIBUTE}
 */
public record LeaderReadRequest(long startTimestamp, long floor, Bytes family) {

  /** Name of the attribute on Get. */
  public static final String ATTRIBUTE = "lampone.leader";

  /** Name of the attribute on a Get of a row where an undecided intent was met. */
  public static final String RESOLVE_ATTRIBUTE = "lampone.resolve";

  private static final int FORMAT = 1;

  /** Encodes the attribute. */
  public byte[] encode() {
    return new Encoder(32).u8(FORMAT).i64(startTimestamp).i64(floor).bytes(family).toByteArray();
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @throws MalformedException if the bytes are not a leader read
   */
  public static LeaderReadRequest decode(byte[] array) {
    RequestLimits.requireBytes(array, RequestLimits.MAX_READ_BYTES);
    Decoder in = Decoder.ofRequest(array);
    in.version(FORMAT, "leader read");
    long start = in.i64();
    long floor = in.i64();
    LeaderReadRequest request = new LeaderReadRequest(start, floor, in.bytes());
    in.end("leader read");
    return request;
  }
}
