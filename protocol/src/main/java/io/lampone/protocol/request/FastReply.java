package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.IssueProof;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A region server's answer to a {@link FastWrite}, {@link OneRegionCommit} or {@link
 * OperationLookup}.
 *
 * <pre>
 *   reply   = version:u8=2 count:length outcome* tag:i64
 *   outcome = kind:u8 version:i64 (0:u8 | 1:u8 start:i64 leader:place) count:length cell*
 *   cell    = family:bytes qualifier:bytes value:bytes
 * </pre>
 *
 * @param outcomes one for each row of the request, in the request's order; then perhaps some for
 *     rows that were read, see {@link OneRegionCommit}
 * @param tag proves that the highest version has been issued; 0 = none
 */
public record FastReply(List<Outcome> outcomes, long tag) {

  private static final int FORMAT = 2;

  public FastReply {
    outcomes = List.copyOf(outcomes);
  }

  /** Returns the highest version of the outcomes; 0 if there is none. */
  public static long highest(List<Outcome> outcomes) {
    long highest = 0;
    for (Outcome outcome : outcomes) {
      highest = Math.max(highest, outcome.version());
    }
    return highest;
  }

  /** Returns the proof for other servers that the highest version has been issued. */
  public IssueProof issued() {
    return tag == 0 ? IssueProof.NONE : new IssueProof.Marked(highest(outcomes), tag);
  }

  /** Outcome on a row. Only COMMITTED and APPLIED_BEFORE have changed something. */
  public enum Kind {
    /** Applied by this request, at the outcome's version, which is its commit timestamp. */
    COMMITTED(1),
    /** Applied by an earlier attempt, at the outcome's version. */
    APPLIED_BEFORE(2),
    /**
     * Something was committed after the expected version, or after the transaction's snapshot: the
     * outcome's version.
     */
    CONFLICT(3),
    /** The comparison does not hold. */
    CONDITION_FALSE(4),
    /** Intents are in the way: resolve the one that the outcome names, and send again. */
    BUSY(5),
    /** A column is not 8 bytes long, or would grow too large: a retry would fail again. */
    BAD_VALUE(6),
    /** Another row of the atomic request failed; in reply to a look-up: it was never applied. */
    NOT_APPLIED(7);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    /** Returns true if the operation has been applied. */
    public boolean isApplied() {
      return this == COMMITTED || this == APPLIED_BEFORE;
    }

    private static Kind ofCode(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      throw new MalformedException("unknown kind of outcome, code=" + code);
    }
  }

  /**
   * The outcome on one row.
   *
   * @param version see {@link Kind}; otherwise 0
   * @param blocker for BUSY: the transaction whose intent was met
   * @param cells if requested: the cells that increments and appends wrote
   */
  public record Outcome(
      Kind kind, long version, Optional<TransactionId> blocker, List<ResultCell> cells) {
    public Outcome {
      cells = List.copyOf(cells);
    }

    /** Creates an outcome with only a kind and a version. */
    public static Outcome of(Kind kind, long version) {
      return new Outcome(kind, version, Optional.empty(), List.of());
    }

    /** Creates the outcome BUSY. */
    public static Outcome busy(TransactionId blocker) {
      return new Outcome(Kind.BUSY, 0, Optional.of(blocker), List.of());
    }
  }

  /** A column and its value after the operation. */
  public record ResultCell(Bytes family, Bytes qualifier, Bytes value) {}

  /** Encodes the reply. */
  public byte[] encode() {
    Encoder out = new Encoder(10 + outcomes.size() * 11);
    out.u8(FORMAT).length(outcomes.size());
    for (Outcome outcome : outcomes) {
      out.u8(outcome.kind().code).i64(outcome.version()).bool(outcome.blocker().isPresent());
      outcome.blocker().ifPresent(id -> out.i64(id.startTimestamp()).place(id.leader()));
      out.length(outcome.cells().size());
      outcome.cells().forEach(c -> out.bytes(c.family()).bytes(c.qualifier()).bytes(c.value()));
    }
    return out.i64(tag).toByteArray();
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @throws MalformedException if the bytes are not a reply
   */
  public static FastReply decode(byte[] array, int offset, int length) {
    Decoder in = new Decoder(array, offset, length);
    in.version(FORMAT, "fast-path reply");
    List<Outcome> outcomes = new ArrayList<>();
    for (int left = in.count(11); left > 0; left--) {
      Kind kind = Kind.ofCode(in.u8());
      long version = in.i64();
      Optional<TransactionId> blocker = Optional.empty();
      if (in.bool()) {
        long start = in.i64();
        blocker = Optional.of(new TransactionId(start, in.place()));
      }
      List<ResultCell> cells = new ArrayList<>();
      for (int more = in.count(3); more > 0; more--) {
        Bytes family = in.bytes();
        Bytes qualifier = in.bytes();
        cells.add(new ResultCell(family, qualifier, in.bytes()));
      }
      outcomes.add(new Outcome(kind, version, blocker, cells));
    }
    FastReply reply = new FastReply(outcomes, in.i64());
    in.end("fast-path reply");
    return reply;
  }
}
