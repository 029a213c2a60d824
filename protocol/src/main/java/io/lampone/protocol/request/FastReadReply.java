package io.lampone.protocol.request;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.trust.IssueProof;

/**
 * Content of the proof cell of a fast-path read (protocol page, section 8).
 *
 * <pre>
 *   reply = version:u8=2 snapshot:i64 version:i64 tag:i64
 * </pre>
 *
 * @param snapshot the highest commit timestamp that the answer takes into account, inclusive; never
 *     below the session's mark, which it raises. Intents that the answer points to are resolved for
 *     it: commit timestamps up to it count. Of an interval: its end, the highest snapshot that
 *     shows the same, if there is no pointer
 * @param version if requested: the highest commit timestamp in the scope of the check (the row at
 *     level ROW; the columns read at level CELL), deletes included, which a conditional write must
 *     expect; 0 = nothing was ever committed there. Of an interval: its beginning, the lowest
 *     snapshot that shows the same; the interval is empty if it is above the end. Otherwise 0
 * @param tag proves that {@code snapshot} has been issued; 0 = none
 */
public record FastReadReply(long snapshot, long version, long tag) {

  private static final int FORMAT = 2;

  /** Returns the proof for other servers that the snapshot has been issued. */
  public IssueProof issued() {
    return tag == 0 ? IssueProof.NONE : new IssueProof.Marked(snapshot, tag);
  }

  /** Encodes the content of the proof cell. */
  public byte[] encode() {
    return new Encoder(25).u8(FORMAT).i64(snapshot).i64(version).i64(tag).toByteArray();
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @throws MalformedException if the bytes are not a reply
   */
  public static FastReadReply decode(byte[] array, int offset, int length) {
    Decoder in = new Decoder(array, offset, length);
    in.version(FORMAT, "fast-path reply");
    long snapshot = in.i64();
    long version = in.i64();
    FastReadReply reply = new FastReadReply(snapshot, version, in.i64());
    in.end("fast-path reply");
    return reply;
  }
}
