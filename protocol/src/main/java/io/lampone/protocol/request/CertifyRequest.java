package io.lampone.protocol.request;

import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.trust.IssueProof;

/**
 * Asks whether a row has no version committed at birth between a transaction's snapshot and its
 * commit timestamp. Carried by a Get of the columns that were read, in the attribute of a {@link
 * ReadRequest} (protocol page, sections 3 and 4). It takes the place of a read so that a region
 * server that does not know it refuses it, and so that the right to read suffices. The answer is a
 * {@link FastReadReply} with the commit timestamp as snapshot; its version is one committed in
 * between, 0 if there is none.
 *
 * <pre>
 *   request = version:u8=10 start:i64 commit:i64 floor:i64 level:u8 issued
 * </pre>
 *
 * @param startTimestamp the transaction's snapshot
 * @param commitTimestamp the assigned commit timestamp
 * @param floor the smallest admissible start timestamp known to the client
 * @param level the table's conflict level as known to the sender; a different one is refused
 * @param issued proves that the commit timestamp has been issued
 */
public record CertifyRequest(
    long startTimestamp, long commitTimestamp, long floor, ConflictLevel level, IssueProof issued) {

  /** Not a format of {@link ReadRequest}. */
  private static final int FORMAT = 10;

  public CertifyRequest {
    if (commitTimestamp <= startTimestamp) {
      throw new MalformedException(
          "a commit timestamp is above its start timestamp, start="
              + startTimestamp
              + " commit="
              + commitTimestamp);
    }
  }

  /** Returns true if the attribute of a read holds a certify request. */
  public static boolean isOne(byte[] attribute) {
    return attribute.length > 0 && attribute[0] == FORMAT;
  }

  /** Returns this request with another conflict level. */
  public CertifyRequest by(ConflictLevel other) {
    return new CertifyRequest(startTimestamp, commitTimestamp, floor, other, issued);
  }

  /** Encodes the attribute. */
  public byte[] encode() {
    Encoder out = new Encoder(64);
    out.u8(FORMAT).i64(startTimestamp).i64(commitTimestamp).i64(floor).u8(level.code());
    IssueProof.write(out, issued);
    return out.toByteArray();
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @throws MalformedException if the bytes are not such a request
   */
  public static CertifyRequest decode(byte[] array) {
    RequestLimits.requireBytes(array, RequestLimits.MAX_READ_BYTES);
    Decoder in = Decoder.ofRequest(array);
    in.version(FORMAT, "certification");
    long start = in.i64();
    long commit = in.i64();
    long floor = in.i64();
    ConflictLevel level = ConflictLevel.ofCode(in.u8());
    CertifyRequest request = new CertifyRequest(start, commit, floor, level, IssueProof.read(in));
    in.end("certification");
    return request;
  }
}
