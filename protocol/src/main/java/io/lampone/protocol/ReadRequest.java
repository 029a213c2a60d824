package io.lampone.protocol;

import java.util.Map;
import java.util.TreeMap;

/**
 * What a transactional Get or Scan carries in the attribute {@link #ATTRIBUTE} (protocol page,
 * section 3).
 *
 * <pre>
 *   request  = version:u8=1 snapshot:i64 ownsWrites:bool floor:i64 rolledBack:2*i64
 *              count:length (start:i64 commit:i64)*
 * </pre>
 *
 * @param snapshot the start timestamp that is read at: visible is what committed strictly below it
 * @param ownsWrites whether versions of the snapshot's own tick are the reader's own writes; false
 *     for a read in the past
 * @param floor the smallest start timestamp still admissible, as the reader was told
 * @param rolledBackSlots savepoint slots of the reader itself that do not count any more
 * @param judgments fate of transactions whose intents an earlier attempt met: start timestamp to
 *     commit timestamp, or to 0 where the intent is invisible to this reader. Used only for an
 *     intent that is still PENDING when it is met again
 */
public record ReadRequest(
    long snapshot,
    boolean ownsWrites,
    long floor,
    SlotSet rolledBackSlots,
    Map<Long, Long> judgments) {

  /** Name of the attribute on Get and Scan. */
  public static final String ATTRIBUTE = "lampone.read";

  private static final int FORMAT = 1;

  public ReadRequest {
    judgments = Map.copyOf(judgments);
  }

  /** This request with further judgments. */
  public ReadRequest withJudgments(Map<Long, Long> more) {
    Map<Long, Long> all = new TreeMap<>(judgments);
    all.putAll(more);
    return new ReadRequest(snapshot, ownsWrites, floor, rolledBackSlots, all);
  }

  /** The bytes of the attribute. */
  public byte[] encode() {
    Encoder out = new Encoder(64);
    out.u8(FORMAT).i64(snapshot).bool(ownsWrites).i64(floor).slots(rolledBackSlots);
    out.length(judgments.size());
    judgments.forEach((start, commit) -> out.i64(start).i64(commit));
    return out.toByteArray();
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws MalformedException if the bytes are not a read request
   */
  public static ReadRequest decode(byte[] array) {
    Decoder in = new Decoder(array);
    in.version(FORMAT, "read request");
    long snapshot = in.i64();
    boolean owns = in.bool();
    long floor = in.i64();
    SlotSet rolledBack = in.slots();
    Map<Long, Long> judgments = new TreeMap<>();
    for (int left = in.count(2 * Long.BYTES); left > 0; left--) {
      long start = in.i64();
      judgments.put(start, in.i64());
    }
    in.end("read request");
    return new ReadRequest(snapshot, owns, floor, rolledBack, judgments);
  }
}
