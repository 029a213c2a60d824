package io.lampone.protocol.trust;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Timestamps;

/**
 * Client's proof that a transaction is its own: the transaction manager hands it out with the start
 * timestamps that it covers. Its holder may decide these transactions; it can be handed on with
 * them.
 *
 * @param first the first global timestamp that it covers
 * @param span how many global timestamps after {@code first} it covers too, 0..2^31-1
 * @param secret shown only where a transaction is decided
 */
public record Grant(long first, int span, Tag secret) implements Proof {

  /** Bytes of an encoded grant. */
  public static final int BYTES = Long.BYTES + Integer.BYTES + Tag.BYTES;

  public Grant {
    if (span < 0) {
      throw new MalformedException("negative span of a grant, span=" + span);
    }
  }

  /** Returns true if a transaction that began at {@code startTimestamp} belongs to the holder. */
  public boolean covers(long startTimestamp) {
    return covers(first, span, startTimestamp);
  }

  /** Returns true if a grant of {@code first} and {@code span} covers the transaction. */
  public static boolean covers(long first, int span, long startTimestamp) {
    long distance = startTimestamp - first;
    return distance >= 0
        && distance <= span * Timestamps.TICK
        && Timestamps.isGlobal(startTimestamp);
  }

  /** Writes {@value #BYTES} bytes. */
  public void write(Encoder out) {
    out.i64(first).i32(span);
    secret.write(out);
  }

  /** Reads what {@link #write} wrote. */
  public static Grant read(Decoder in) {
    long first = in.i64();
    int span = in.i32();
    return new Grant(first, span, Tag.read(in));
  }
}
