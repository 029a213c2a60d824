package io.lampone.protocol.trust;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;

/**
 * Fate of a transaction, and the statement of its leader's region server that says so (protocol
 * page, section 13). The statement is about one leader: it proves nothing of a follower that names
 * another one.
 *
 * @param commitTimestamp 0 = aborted; as a judgment of a reader: invisible to it, for which nothing
 *     is shown
 * @param tag see {@link Proofs#fate}; {@link Tag#NONE} = not stated
 */
public record Fate(long commitTimestamp, Tag tag) {

  /** The judgment of a transaction that a reader does not see. */
  public static final Fate INVISIBLE = new Fate(0, Tag.NONE);

  /** Bytes of an encoded judgment, at least. */
  public static final int LEAST_JUDGMENT_BYTES = Long.BYTES;

  /** Bytes of an encoded judgment, at most. */
  public static final int MOST_JUDGMENT_BYTES = Long.BYTES + Tag.BYTES;

  /** Writes what a reader shows: the tag only if it claims a commit. */
  public void writeJudgment(Encoder out) {
    out.i64(commitTimestamp);
    if (commitTimestamp != 0) {
      tag.write(out);
    }
  }

  /** Reads what {@link #writeJudgment} wrote. */
  public static Fate readJudgment(Decoder in) {
    long commit = in.i64();
    return commit == 0 ? INVISIBLE : new Fate(commit, Tag.read(in));
  }
}
