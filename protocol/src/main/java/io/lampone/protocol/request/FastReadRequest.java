package io.lampone.protocol.request;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import java.util.List;
import java.util.Map;

/**
 * Content of the attribute {@link #ATTRIBUTE} of a fast-path Get (protocol page, section 8). It
 * reads what is committed, without a start timestamp: the server picks the snapshot.
 *
 * <p>An undecided intent is not there for this read, unless it may belong to what the session knows
 * of, or to the same order as what the read returns. Then it is pointed to, as in a snapshot read.
 * The client resolves it for the snapshot of the {@link FastReadReply}, and sends the Get again
 * with that snapshot in {@code upTo} and with its judgments.
 *
 * <p>A read that wants the latest state is pointed to every undecided intent in its way. The client
 * resolves them for a timestamp that it receives for that, and sends the Get again with it.
 *
 * <pre>
 *   request  = version:u8=4 wants:u8 mark:i64 floor:i64 upTo:i64 judgments issued
 *   wants    = 0 cells | 1 version | 2 latest
 * </pre>
 *
 * @param mark the session's mark
 * @param floor the smallest start timestamp still admissible, as far as the reader ever knew; 0 =
 *     never
 * @param upTo the highest commit timestamp that is read, which is the snapshot of an earlier reply;
 *     0 = the server picks it
 * @param wants what the read is for
 * @param judgments fate of transactions whose intents an earlier attempt met, for {@code upTo}:
 *     commit timestamp and the statement that says so, or 0 where the intent is invisible; it
 *     counts for what names this leader
 * @param issued shows that {@code mark} and {@code upTo} have been issued, if the server does not
 *     know
 */
public record FastReadRequest(
    long mark,
    long floor,
    long upTo,
    Wants wants,
    Map<TransactionId, Fate> judgments,
    IssueProof issued) {

  /** Name of the attribute on Get. */
  public static final String ATTRIBUTE = "lampone.fast";

  private static final int FORMAT = 4;

  /** Purpose of a read. The order is that of the numbers on the wire. */
  public enum Wants {
    /** State committed as far as the session knows; possibly more. */
    CELLS,
    /**
     * The same, and the version that a conditional write expects. It costs a look at every column
     * in the scope of the check.
     */
    VERSION,
    /** Everything committed when the read began, by any session. */
    LATEST
  }

  private static final List<Wants> WANTS = List.of(Wants.values());

  public FastReadRequest {
    judgments = Map.copyOf(judgments);
    if (upTo == 0 && !judgments.isEmpty()) {
      throw new IllegalArgumentException("judgments hold for a snapshot only");
    }
  }

  /** A first attempt. */
  public static FastReadRequest of(long mark, long floor, boolean wantsVersion) {
    return of(mark, floor, wantsVersion ? Wants.VERSION : Wants.CELLS);
  }

  /** A first attempt. */
  public static FastReadRequest of(long mark, long floor, Wants wants) {
    return new FastReadRequest(mark, floor, 0, wants, Map.of(), IssueProof.NONE);
  }

  /** Returns true if the reply must hold the version that a conditional write expects. */
  public boolean wantsVersion() {
    return wants == Wants.VERSION;
  }

  /**
   * Returns true if the server must point to every undecided intent: no snapshot has been fixed
   * yet.
   */
  public boolean wantsAllIntents() {
    return wants == Wants.LATEST && upTo == 0;
  }

  /** The same read up to the snapshot of a reply, with judgments for it. */
  public FastReadRequest again(long snapshot, Map<TransactionId, Fate> more) {
    Map<TransactionId, Fate> all = Judgments.atMost(more, snapshot == upTo ? judgments : Map.of());
    return new FastReadRequest(mark, floor, snapshot, wants, all, issued);
  }

  /** The same read with a proof of its timestamps. */
  public FastReadRequest shown(IssueProof proof) {
    return new FastReadRequest(mark, floor, upTo, wants, judgments, proof);
  }

  /** The bytes of the attribute. */
  public byte[] encode() {
    Encoder out = new Encoder(32);
    out.u8(FORMAT).u8(wants.ordinal()).i64(mark).i64(floor).i64(upTo);
    Judgments.encode(out, judgments);
    IssueProof.write(out, issued);
    return out.toByteArray();
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws MalformedException if the bytes are not a fast-path read
   */
  public static FastReadRequest decode(byte[] array) {
    RequestLimits.requireBytes(array, RequestLimits.MAX_READ_BYTES);
    Decoder in = Decoder.ofRequest(array);
    in.version(FORMAT, "fast-path read");
    int wants = in.u8();
    if (wants >= WANTS.size()) {
      throw new MalformedException("unknown kind of a fast-path read, wants=" + wants);
    }
    long mark = in.i64();
    long floor = in.i64();
    long upTo = in.i64();
    Map<TransactionId, Fate> judgments = Judgments.decode(in);
    IssueProof issued = IssueProof.read(in);
    in.end("fast-path read");
    if (upTo == 0 && !judgments.isEmpty()) {
      throw new MalformedException("judgments without a snapshot, judgments=" + judgments.size());
    }
    return new FastReadRequest(mark, floor, upTo, WANTS.get(wants), judgments, issued);
  }
}
