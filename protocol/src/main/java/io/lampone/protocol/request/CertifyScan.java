package io.lampone.protocol.request;

import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import java.util.Map;

/**
 * Certification of a range, carried in place of a {@link ReadRequest} by a Scan of the rows and
 * columns that were read; the Scan may have no filter (protocol page, sections 3 and 4). It returns
 * pointers, as a read at the commit timestamp does, and the first row with a commit of another
 * transaction in between: a proof cell with a {@link FastReadReply}, as for a {@link
 * CertifyRequest}. For unchanged rows it returns nothing.
 *
 * <pre>
 *   request = version:u8=11 start:i64 commit:i64 floor:i64 level:u8 issued judgments
 * </pre>
 *
 * @param at snapshot, commit timestamp, floor, level and proof of issue
 * @param judgments fates of transactions whose intents this certification has met, for a reader at
 *     the commit timestamp; initially empty, whatever the transaction has met before [Z31]
 */
public record CertifyScan(CertifyRequest at, Map<TransactionId, Fate> judgments) {

  /** Not a format of {@link ReadRequest}. */
  private static final int FORMAT = 11;

  public CertifyScan {
    judgments = Map.copyOf(judgments);
  }

  /** Returns true if the attribute of a read holds the certification of a range. */
  public static boolean isOne(byte[] attribute) {
    return attribute.length > 0 && attribute[0] == FORMAT;
  }

  public long startTimestamp() {
    return at.startTimestamp();
  }

  public long commitTimestamp() {
    return at.commitTimestamp();
  }

  public ConflictLevel level() {
    return at.level();
  }

  /** Returns this request with another conflict level. */
  public CertifyScan by(ConflictLevel level) {
    return level == level() ? this : new CertifyScan(at.by(level), judgments);
  }

  /** Returns the read at the commit timestamp that judges intents. */
  public ReadRequest read() {
    return new ReadRequest(
        at.commitTimestamp(), false, at.floor(), SlotSet.NONE, judgments, at.issued());
  }

  /** Encodes the attribute. */
  public byte[] encode() {
    Encoder out = new Encoder(64);
    out.u8(FORMAT).i64(at.startTimestamp()).i64(at.commitTimestamp()).i64(at.floor());
    out.u8(at.level().code());
    IssueProof.write(out, at.issued());
    Judgments.encode(out, Judgments.atMost(judgments, Map.of()));
    return out.toByteArray();
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @throws MalformedException if the bytes are not such a request
   */
  public static CertifyScan decode(byte[] array) {
    RequestLimits.requireBytes(array, RequestLimits.MAX_READ_BYTES);
    Decoder in = Decoder.ofRequest(array);
    in.version(FORMAT, "certification of a range");
    long start = in.i64();
    long commit = in.i64();
    long floor = in.i64();
    ConflictLevel level = ConflictLevel.ofCode(in.u8());
    IssueProof issued = IssueProof.read(in);
    Map<TransactionId, Fate> judgments = Judgments.decode(in);
    in.end("certification of a range");
    return new CertifyScan(new CertifyRequest(start, commit, floor, level, issued), judgments);
  }
}
