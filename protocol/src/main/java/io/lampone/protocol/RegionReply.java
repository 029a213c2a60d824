package io.lampone.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a region server answers to a {@link RegionRequest}, and, with one outcome, to a {@link
 * LeaderReadRequest}. A reply without it did not pass our code.
 *
 * <pre>
 *   reply   = version:u8=1 count:length outcome*
 *   outcome = state:u8 (0 = absent) commit:i64 applied:bool
 * </pre>
 *
 * @param outcomes one for each row of the request, in the request's order
 */
public record RegionReply(List<Outcome> outcomes) {

  private static final int FORMAT = 1;
  private static final int ABSENT = 0;

  public RegionReply {
    outcomes = List.copyOf(outcomes);
  }

  /**
   * What one row holds after the request, of the transaction that it was about.
   *
   * @param state the state of the transaction's cell (the leader's for a request about a leader);
   *     empty = there is no such cell
   * @param commitTimestamp the commit timestamp in it, 0 if none
   * @param applied whether this request changed the row
   */
  public record Outcome(Optional<TransactionState> state, long commitTimestamp, boolean applied) {

    /** There is no such cell. */
    public static final Outcome NOTHING = new Outcome(Optional.empty(), 0, false);

    /** Whether the cell is in {@code wanted}. */
    public boolean is(TransactionState wanted) {
      return state.isPresent() && state.get() == wanted;
    }
  }

  /** The bytes of the reply. */
  public byte[] encode() {
    Encoder out = new Encoder(2 + outcomes.size() * 10);
    out.u8(FORMAT).length(outcomes.size());
    for (Outcome outcome : outcomes) {
      out.u8(outcome.state().map(TransactionState::code).orElse(ABSENT))
          .i64(outcome.commitTimestamp())
          .bool(outcome.applied());
    }
    return out.toByteArray();
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws MalformedException if the bytes are not a reply
   */
  public static RegionReply decode(byte[] array, int offset, int length) {
    Decoder in = new Decoder(array, offset, length);
    in.version(FORMAT, "region reply");
    List<Outcome> outcomes = new ArrayList<>();
    for (int left = in.count(10); left > 0; left--) {
      int code = in.u8();
      Optional<TransactionState> state =
          code == ABSENT ? Optional.empty() : Optional.of(TransactionState.ofCode(code));
      outcomes.add(new Outcome(state, in.i64(), in.bool()));
    }
    in.end("region reply");
    return new RegionReply(outcomes);
  }
}
