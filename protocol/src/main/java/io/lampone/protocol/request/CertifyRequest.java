package io.lampone.protocol.request;

import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.trust.IssueProof;

/**
 * Asks whether a row is unchanged between a transaction's snapshot and its commit timestamp, as far
 * as versions that are committed at birth go: what a Get of the columns that were read carries in
 * the attribute of a {@link ReadRequest} (protocol page, sections 3 and 4). It stands in the place
 * of a read so that a region server which does not know it refuses it, and so that the right to
 * read is enough. The answer is a {@link FastReadReply} with the commit timestamp as snapshot; its
 * version is one that was committed in between, 0 if there is none.
 *
 * <pre>
 *   request = version:u8=10 start:i64 commit:i64 floor:i64 level:u8 issued
 * </pre>
 *
 * @param startTimestamp the transaction's snapshot
 * @param commitTimestamp the timestamp that it has been assigned
 * @param floor the smallest start timestamp still admissible, as the client was told
 * @param level of the table as the sender knows it; another one is refused
 * @param issued shows that the commit timestamp has been issued
 */
public record CertifyRequest(
    long startTimestamp, long commitTimestamp, long floor, ConflictLevel level, IssueProof issued) {

  /** No format of a {@link ReadRequest}. */
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

  /** Returns true if the attribute of a read holds such a request. */
  public static boolean isOne(byte[] attribute) {
    return attribute.length > 0 && attribute[0] == FORMAT;
  }

  /** Returns the same by the rules of another level. */
  public CertifyRequest by(ConflictLevel other) {
    return new CertifyRequest(startTimestamp, commitTimestamp, floor, other, issued);
  }

  /** The bytes of the attribute. */
  public byte[] encode() {
    Encoder out = new Encoder(64);
    out.u8(FORMAT).i64(startTimestamp).i64(commitTimestamp).i64(floor).u8(level.code());
    IssueProof.write(out, issued);
    return out.toByteArray();
  }

  /**
   * Reads what {@link #encode} wrote.
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
