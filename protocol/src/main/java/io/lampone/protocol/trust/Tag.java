package io.lampone.protocol.trust;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;

/**
 * A keyed hash of 128 bits.
 *
 * @param first bits 0 to 63
 * @param second bits 64 to 127
 */
public record Tag(long first, long second) {

  /** Bytes of an encoded tag. */
  public static final int BYTES = 2 * Long.BYTES;

  /** Stands for no proof. No key is known to produce it. */
  public static final Tag NONE = new Tag(0, 0);

  /** Reads what {@link #write} wrote. */
  public static Tag read(Decoder in) {
    long first = in.i64();
    return new Tag(first, in.i64());
  }

  /** Writes {@value #BYTES} bytes. */
  public void write(Encoder out) {
    out.i64(first).i64(second);
  }

  /** Compares in a time that does not depend on where the two differ. */
  public boolean matches(Tag other) {
    return ((first ^ other.first) | (second ^ other.second)) == 0;
  }

  /** Hides its bits: a tag of a client is a secret. */
  @Override
  public String toString() {
    return "Tag";
  }
}
