package io.lampone.protocol.trust;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Timestamps;

/**
 * A client's proof that transactions are its own, issued by the transaction manager with the start
 * timestamps that it covers. The holder may decide these transactions, and may pass the grant on
 * together with them.
 *
 * @param first the first global timestamp that it covers
 * @param span number of further global timestamps that it covers, 0..2^31-1
 * @param secret shown only where a transaction is decided
 */
public record Grant(long first, int span, Tag secret) implements Proof {

  /** Length of an encoded grant, in bytes. */
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

  /** Decodes the output of {@link #write}. */
  public static Grant read(Decoder in) {
    long first = in.i64();
    int span = in.i32();
    return new Grant(first, span, Tag.read(in));
  }
}
