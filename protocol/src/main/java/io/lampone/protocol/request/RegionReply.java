package io.lampone.protocol.request;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A region server's answer to a {@link RegionRequest} and, with one outcome, to a {@link
 * LeaderReadRequest}. A reply without it did not pass through the observer.
 *
 * <pre>
 *   reply   = version:u8=4 count:length outcome*
 *   outcome = state:u8 (0 = absent) commit:i64 applied:bool (0:u8 | 1:u8 tag)
 * </pre>
 *
 * @param outcomes one for each row of the request, in the request's order
 */
public record RegionReply(List<Outcome> outcomes) {

  private static final int FORMAT = 4;
  private static final int ABSENT = 0;

  public RegionReply {
    outcomes = List.copyOf(outcomes);
  }

  /**
   * State of one row after the request, for the transaction of the request.
   *
   * @param state the state of the transaction's cell (the leader's for a request about a leader);
   *     empty = no such cell
   * @param commitTimestamp the commit timestamp in it, 0 if none
   * @param applied whether this request changed the row
   * @param tag states that this is the fate of a leader ({@link Fate}); {@link Tag#NONE} for
   *     anything but a decided leader
   */
  public record Outcome(
      Optional<TransactionState> state, long commitTimestamp, boolean applied, Tag tag) {

    /** The outcome without such a cell. */
    public static final Outcome NOTHING = new Outcome(Optional.empty(), 0, false);

    /** Creates an outcome without a statement. */
    public Outcome(Optional<TransactionState> state, long commitTimestamp, boolean applied) {
      this(state, commitTimestamp, applied, Tag.NONE);
    }

    /** Returns this outcome with a statement. */
    public Outcome stated(Tag statement) {
      return new Outcome(state, commitTimestamp, applied, statement);
    }

    /** Returns the fate that a decided leader states. */
    public Fate fate() {
      return new Fate(commitTimestamp, tag);
    }

    /** Returns true if the transaction has ended. */
    public boolean isDecided() {
      return state.isPresent() && state.get() != TransactionState.PENDING;
    }

    /** Returns true if the cell is in state {@code wanted}. */
    public boolean is(TransactionState wanted) {
      return state.isPresent() && state.get() == wanted;
    }
  }

  /** Encodes the reply. */
  public byte[] encode() {
    Encoder out = new Encoder(2 + outcomes.size() * 11);
    out.u8(FORMAT).length(outcomes.size());
    for (Outcome outcome : outcomes) {
      out.u8(outcome.state().map(TransactionState::code).orElse(ABSENT))
          .i64(outcome.commitTimestamp())
          .bool(outcome.applied())
          .bool(!outcome.tag().matches(Tag.NONE));
      if (!outcome.tag().matches(Tag.NONE)) {
        outcome.tag().write(out);
      }
    }
    return out.toByteArray();
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @throws MalformedException if the bytes are not a reply
   */
  public static RegionReply decode(byte[] array, int offset, int length) {
    Decoder in = new Decoder(array, offset, length);
    in.version(FORMAT, "region reply");
    List<Outcome> outcomes = new ArrayList<>();
    for (int left = in.count(11); left > 0; left--) {
      int code = in.u8();
      Optional<TransactionState> state =
          code == ABSENT ? Optional.empty() : Optional.of(TransactionState.ofCode(code));
      Outcome outcome = new Outcome(state, in.i64(), in.bool());
      outcomes.add(in.bool() ? outcome.stated(Tag.read(in)) : outcome);
    }
    in.end("region reply");
    return new RegionReply(outcomes);
  }
}
