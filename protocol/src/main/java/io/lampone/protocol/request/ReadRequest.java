package io.lampone.protocol.request;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import java.util.Map;

/**
 * Content of the attribute {@link #ATTRIBUTE} of a transactional Get or Scan (protocol page,
 * section 3).
 *
 * <pre>
 *   request  = version:u8=4 snapshot:i64 ownsWrites:bool floor:i64 rolledBack:2*i64 judgments issued
 * </pre>
 *
 * @param snapshot the start timestamp to read at: commits strictly below it are visible
 * @param ownsWrites whether versions of the snapshot's own tick are the reader's own writes; false
 *     for a read in the past
 * @param floor the smallest admissible start timestamp known to the reader
 * @param rolledBackSlots the reader's own savepoint slots that have been rolled back
 * @param judgments fates of transactions whose intents an earlier attempt met: commit timestamp and
 *     the statement that proves it, or 0 if the intent is invisible to this reader. Applied only to
 *     an intent that is still PENDING and names this leader
 * @param issued proves that the snapshot has been issued, if the server does not know
 */
public record ReadRequest(
    long snapshot,
    boolean ownsWrites,
    long floor,
    SlotSet rolledBackSlots,
    Map<TransactionId, Fate> judgments,
    IssueProof issued) {

  /** Name of the attribute on Get and Scan. */
  public static final String ATTRIBUTE = "lampone.read";

  /**
   * Attribute, with any value, of a Scan with a read request: a scan that meets an intent of
   * unknown fate is refused with {@link Refusal.Code#UNDECIDED} and returns no pointer. For scans
   * whose cells other coprocessors aggregate, project or sort before the client sees them.
   */
  public static final String REFUSE_ATTRIBUTE = "lampone.refuse";

  /**
   * Attribute, with any value, of a Scan with a read request or of an inspection: it is refused if
   * its sender may not read all that it names. For backups, and for making a table plain, since
   * authorizers leave out the rest without an error.
   */
  public static final String COMPLETE_ATTRIBUTE = "lampone.complete";

  private static final int FORMAT = 4;

  public ReadRequest {
    judgments = Map.copyOf(judgments);
  }

  /** Creates a read of a snapshot that the server knows to have been issued. */
  public ReadRequest(
      long snapshot,
      boolean ownsWrites,
      long floor,
      SlotSet rolledBackSlots,
      Map<TransactionId, Fate> judgments) {
    this(snapshot, ownsWrites, floor, rolledBackSlots, judgments, IssueProof.NONE);
  }

  /**
   * Returns this request with further judgments, which have precedence, up to the limit of a
   * request. The fate of a transaction whose judgment is dropped is resolved once more.
   */
  public ReadRequest withJudgments(Map<TransactionId, Fate> more) {
    Map<TransactionId, Fate> all = Judgments.atMost(more, judgments);
    return new ReadRequest(snapshot, ownsWrites, floor, rolledBackSlots, all, issued);
  }

  /** Returns this read with a proof of its snapshot. */
  public ReadRequest shown(IssueProof proof) {
    return new ReadRequest(snapshot, ownsWrites, floor, rolledBackSlots, judgments, proof);
  }

  /** Encodes the attribute. */
  public byte[] encode() {
    Encoder out = new Encoder(64);
    out.u8(FORMAT).i64(snapshot).bool(ownsWrites).i64(floor).slots(rolledBackSlots);
    Judgments.encode(out, judgments);
    IssueProof.write(out, issued);
    return out.toByteArray();
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @throws MalformedException if the bytes are not a read request
   */
  public static ReadRequest decode(byte[] array) {
    RequestLimits.requireBytes(array, RequestLimits.MAX_READ_BYTES);
    Decoder in = Decoder.ofRequest(array);
    in.version(FORMAT, "read request");
    long snapshot = in.i64();
    boolean owns = in.bool();
    long floor = in.i64();
    SlotSet rolledBack = in.slots();
    Map<TransactionId, Fate> judgments = Judgments.decode(in);
    IssueProof issued = IssueProof.read(in);
    in.end("read request");
    return new ReadRequest(snapshot, owns, floor, rolledBack, judgments, issued);
  }
}
