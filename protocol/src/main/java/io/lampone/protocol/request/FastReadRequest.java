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
 * reads committed data without a start timestamp: the server picks the snapshot.
 *
 * <p>The read treats an undecided intent as absent, unless the intent may belong to what the
 * session knows of, or to the same order as what the read returns. Then the reply points to it, as
 * in a snapshot read. The client resolves the intent for the snapshot of the {@link FastReadReply},
 * and sends the Get again with that snapshot in {@code upTo} and with its judgments.
 *
 * <p>The reply to a read of the latest state points to every undecided intent in its way. The
 * client resolves them for a timestamp that it obtains for this purpose, and sends the Get again
 * with it.
 *
 * <p>The reply to a read of an interval points to them as well, and is not sent again: {@code upTo}
 * is 0. A server of before this kind refuses it as unknown.
 *
 * <pre>
 *   request  = version:u8=4 wants:u8 mark:i64 floor:i64 upTo:i64 judgments issued
 *   wants    = 0 cells | 1 version | 2 latest | 3 interval
 * </pre>
 *
 * @param mark the session's mark
 * @param floor the smallest admissible start timestamp known to the reader; 0 = unknown
 * @param upTo the highest commit timestamp to read, the snapshot of an earlier reply; 0 = the
 *     server picks it
 * @param wants the purpose of the read
 * @param judgments fates, for {@code upTo}, of transactions whose intents an earlier attempt met:
 *     commit timestamp and the statement that proves it, or 0 if the intent is invisible; a
 *     judgment applies to intents that name its leader
 * @param issued proves that {@code mark} and {@code upTo} have been issued, if the server does not
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
    /** The state committed as far as the session knows; possibly more. */
    CELLS,
    /**
     * As CELLS, and the version that a conditional write expects, for which the server examines
     * every column in the scope of the check.
     */
    VERSION,
    /** All that was committed when the read began, by any session. */
    LATEST,
    /** As LATEST, and the timestamps between which every snapshot shows the same. */
    INTERVAL
  }

  private static final List<Wants> WANTS = List.of(Wants.values());

  public FastReadRequest {
    judgments = Map.copyOf(judgments);
    if (upTo == 0 && !judgments.isEmpty()) {
      throw new IllegalArgumentException("judgments hold for a snapshot only");
    }
  }

  /** Creates a first attempt. */
  public static FastReadRequest of(long mark, long floor, boolean wantsVersion) {
    return of(mark, floor, wantsVersion ? Wants.VERSION : Wants.CELLS);
  }

  /** Creates a first attempt. */
  public static FastReadRequest of(long mark, long floor, Wants wants) {
    return new FastReadRequest(mark, floor, 0, wants, Map.of(), IssueProof.NONE);
  }

  /** Returns true if the reply must hold the version that a conditional write expects. */
  public boolean wantsVersion() {
    return wants == Wants.VERSION;
  }

  /**
   * Returns true if the server must point to every undecided intent because no snapshot has been
   * fixed yet.
   */
  public boolean wantsAllIntents() {
    return (wants == Wants.LATEST || wants == Wants.INTERVAL) && upTo == 0;
  }

  /** Returns this read up to the snapshot of a reply, with judgments for it. */
  public FastReadRequest again(long snapshot, Map<TransactionId, Fate> more) {
    Map<TransactionId, Fate> all = Judgments.atMost(more, snapshot == upTo ? judgments : Map.of());
    return new FastReadRequest(mark, floor, snapshot, wants, all, issued);
  }

  /** Returns this read with a proof of its timestamps. */
  public FastReadRequest shown(IssueProof proof) {
    return new FastReadRequest(mark, floor, upTo, wants, judgments, proof);
  }

  /** Encodes the attribute. */
  public byte[] encode() {
    Encoder out = new Encoder(32);
    out.u8(FORMAT).u8(wants.ordinal()).i64(mark).i64(floor).i64(upTo);
    Judgments.encode(out, judgments);
    IssueProof.write(out, issued);
    return out.toByteArray();
  }

  /**
   * Decodes the output of {@link #encode}.
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
    if (upTo != 0 && WANTS.get(wants) == Wants.INTERVAL) {
      throw new MalformedException("an interval is not read at a snapshot, upTo=" + upTo);
    }
    if (upTo == 0 && !judgments.isEmpty()) {
      throw new MalformedException("judgments without a snapshot, judgments=" + judgments.size());
    }
    return new FastReadRequest(mark, floor, upTo, WANTS.get(wants), judgments, issued);
  }
}
