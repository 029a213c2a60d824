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
 * @param snapshot the start timestamp that is read at: visible is what committed strictly below it
 * @param ownsWrites whether versions of the snapshot's own tick are the reader's own writes; false
 *     for a read in the past
 * @param floor the smallest start timestamp still admissible, as the reader knows it
 * @param rolledBackSlots savepoint slots of the reader itself that do not count any more
 * @param judgments fate of transactions whose intents an earlier attempt met: commit timestamp and
 *     the statement that says so, or 0 where the intent is invisible to this reader. Used only for
 *     an intent that is still PENDING when it is met again, and that names this leader
 * @param issued shows that the snapshot has been issued, if the server does not know
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
   * Attribute of a Scan that has a read request, whatever its value: where the scan meets an intent
   * whose fate is unknown it is refused with {@link Refusal.Code#UNDECIDED}, and returns no
   * pointer. For scans whose cells other coprocessors aggregate, project or sort before the client
   * sees them.
   */
  public static final String REFUSE_ATTRIBUTE = "lampone.refuse";

  private static final int FORMAT = 4;

  public ReadRequest {
    judgments = Map.copyOf(judgments);
  }

  /** One of a snapshot that is known to have been issued. */
  public ReadRequest(
      long snapshot,
      boolean ownsWrites,
      long floor,
      SlotSet rolledBackSlots,
      Map<TransactionId, Fate> judgments) {
    this(snapshot, ownsWrites, floor, rolledBackSlots, judgments, IssueProof.NONE);
  }

  /**
   * This request with further judgments, as many as a request may have; one that is left out is
   * found out once more. These come first.
   */
  public ReadRequest withJudgments(Map<TransactionId, Fate> more) {
    Map<TransactionId, Fate> all = Judgments.atMost(more, judgments);
    return new ReadRequest(snapshot, ownsWrites, floor, rolledBackSlots, all, issued);
  }

  /** The same read with a proof of its snapshot. */
  public ReadRequest shown(IssueProof proof) {
    return new ReadRequest(snapshot, ownsWrites, floor, rolledBackSlots, judgments, proof);
  }

  /** The bytes of the attribute. */
  public byte[] encode() {
    Encoder out = new Encoder(64);
    out.u8(FORMAT).i64(snapshot).bool(ownsWrites).i64(floor).slots(rolledBackSlots);
    Judgments.encode(out, judgments);
    IssueProof.write(out, issued);
    return out.toByteArray();
  }

  /**
   * Reads what {@link #encode} wrote.
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
