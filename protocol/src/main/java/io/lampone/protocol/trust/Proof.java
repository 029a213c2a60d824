package io.lampone.protocol.trust;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;

/**
 * The reason why a region server may carry out a change of a transaction's state.
 *
 * <pre>
 *   proof = 00 | 01 grant
 * </pre>
 */
public sealed interface Proof permits Grant, Proof.None {

  /** No proof: of a request that needs none. */
  None NONE = new None();

  /** See {@link #NONE}. */
  record None() implements Proof {}

  /** Writes the kind of a proof and the proof. */
  static void write(Encoder out, Proof proof) {
    if (proof instanceof Grant grant) {
      grant.write(out.u8(1));
    } else {
      out.u8(0);
    }
  }

  /** Reads what {@link #write} wrote. */
  static Proof read(Decoder in) {
    int kind = in.u8();
    return switch (kind) {
      case 0 -> NONE;
      case 1 -> Grant.read(in);
      default -> throw new MalformedException("unknown kind of proof, kind=" + kind);
    };
  }
}
