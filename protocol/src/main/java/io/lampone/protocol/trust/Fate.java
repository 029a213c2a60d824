package io.lampone.protocol.trust;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;

/**
 * Fate of a transaction with the statement of its leader's region server (protocol page, section
 * 13). The statement concerns one leader: it proves nothing about a follower that names another
 * leader.
 *
 * @param commitTimestamp the commit timestamp; 0 = aborted or, as a judgment of a reader, invisible
 *     to that reader, for which no proof is shown
 * @param tag see {@link Proofs#fate}; {@link Tag#NONE} = not stated
 */
public record Fate(long commitTimestamp, Tag tag) {

  /** The judgment of a transaction that a reader does not see. */
  public static final Fate INVISIBLE = new Fate(0, Tag.NONE);

  /** Minimum length of an encoded judgment, in bytes. */
  public static final int LEAST_JUDGMENT_BYTES = Long.BYTES;

  /** Maximum length of an encoded judgment, in bytes. */
  public static final int MOST_JUDGMENT_BYTES = Long.BYTES + Tag.BYTES;

  /** Writes a reader's judgment: the tag follows only if it claims a commit. */
  public void writeJudgment(Encoder out) {
    out.i64(commitTimestamp);
    if (commitTimestamp != 0) {
      tag.write(out);
    }
  }

  /** Decodes the output of {@link #writeJudgment}. */
  public static Fate readJudgment(Decoder in) {
    long commit = in.i64();
    return commit == 0 ? INVISIBLE : new Fate(commit, Tag.read(in));
  }
}
