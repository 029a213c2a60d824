package io.lampone.protocol.trust;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Timestamps;

/**
 * Proves to a region server that a timestamp, and hence every smaller one, has been issued
 * (protocol page, section 13). It authorizes nothing: it does not contain the secret of a grant.
 *
 * <pre>
 *   issued = 0:u8
 *          | 1:u8 first:i64 span:i32 shade:i64      begun: the grant of a begin, without its secret
 *          | 2:u8 timestamp:i64 tag:i64             marked by a region server
 *          | 3:u8 start:i64 commit:i64 pass:tag     passed: validated at the transaction manager
 * </pre>
 */
public sealed interface IssueProof {

  /** The absence of a proof. */
  None NONE = new None();

  /** See {@link #NONE}. */
  record None() implements IssueProof {
    @Override
    public long upTo() {
      return 0;
    }
  }

  /** The range of a grant, and the shade of its secret. */
  record Begun(long first, int span, long shade) implements IssueProof {
    public Begun {
      if (span < 0) {
        throw new MalformedException("negative span of a grant, span=" + span);
      }
    }

    /** Returns the proof that follows from a grant. */
    public static Begun of(Grant grant) {
      return new Begun(grant.first(), grant.span(), Proofs.shade(grant.secret()));
    }

    @Override
    public long upTo() {
      return first + span * Timestamps.TICK;
    }
  }

  /** A timestamp that a region server knew to have been issued, or drew below such a one. */
  record Marked(long timestamp, long tag) implements IssueProof {
    @Override
    public long upTo() {
      return Timestamps.tick(timestamp);
    }
  }

  /** A transaction manager's statement that a transaction may commit. */
  record Passed(long start, long commit, Tag pass) implements IssueProof {
    @Override
    public long upTo() {
      return commit;
    }
  }

  /** Returns the highest global timestamp that it proves to have been issued; 0 = none. */
  long upTo();

  /** Writes the kind of a proof, then the proof. */
  static void write(Encoder out, IssueProof proof) {
    if (proof instanceof Begun begun) {
      out.u8(1).i64(begun.first()).i32(begun.span()).i64(begun.shade());
    } else if (proof instanceof Marked marked) {
      out.u8(2).i64(marked.timestamp()).i64(marked.tag());
    } else if (proof instanceof Passed passed) {
      passed.pass().write(out.u8(3).i64(passed.start()).i64(passed.commit()));
    } else {
      out.u8(0);
    }
  }

  /** Decodes the output of {@link #write}. */
  static IssueProof read(Decoder in) {
    int kind = in.u8();
    return switch (kind) {
      case 0 -> NONE;
      case 1 -> {
        long first = in.i64();
        int span = in.i32();
        yield new Begun(first, span, in.i64());
      }
      case 2 -> {
        long timestamp = in.i64();
        yield new Marked(timestamp, in.i64());
      }
      case 3 -> {
        long start = in.i64();
        long commit = in.i64();
        yield new Passed(start, commit, Tag.read(in));
      }
      default -> throw new MalformedException("unknown proof of an issue, kind=" + kind);
    };
  }
}
