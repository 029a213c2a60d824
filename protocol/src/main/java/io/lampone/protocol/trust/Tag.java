package io.lampone.protocol.trust;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;

/**
 * A 128-bit keyed hash.
 *
 * @param first bits 0 to 63
 * @param second bits 64 to 127
 */
public record Tag(long first, long second) {

  /** Length of an encoded tag, in bytes. */
  public static final int BYTES = 2 * Long.BYTES;

  /** Stands for no proof. No key is known to produce it. */
  public static final Tag NONE = new Tag(0, 0);

  /** Decodes the output of {@link #write}. */
  public static Tag read(Decoder in) {
    long first = in.i64();
    return new Tag(first, in.i64());
  }

  /** Writes {@value #BYTES} bytes. */
  public void write(Encoder out) {
    out.i64(first).i64(second);
  }

  /** Compares in constant time, wherever the tags differ. */
  public boolean matches(Tag other) {
    return ((first ^ other.first) | (second ^ other.second)) == 0;
  }

  /** Hides the bits, because a client's tag is a secret. */
  @Override
  public String toString() {
    return "Tag";
  }
}
