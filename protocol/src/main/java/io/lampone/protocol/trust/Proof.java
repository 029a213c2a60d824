package io.lampone.protocol.trust;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;

/**
 * Authorizes a region server to change the state of a transaction.
 *
 * <pre>
 *   proof = 00 | 01 grant | 02 voided:tag | 03 healed:tag
 * </pre>
 */
public sealed interface Proof permits Grant, Proof.Voided, Proof.Healed, Proof.None {

  /** The absence of a proof, in requests that need none. */
  None NONE = new None();

  /** The transaction manager's statement that the transaction never passes. */
  record Voided(Tag tag) implements Proof {}

  /** A region server's statement that every follower of the transaction has been healed. */
  record Healed(Tag tag) implements Proof {}

  /** See {@link #NONE}. */
  record None() implements Proof {}

  /** Writes the kind of a proof, then the proof. */
  static void write(Encoder out, Proof proof) {
    if (proof instanceof Grant grant) {
      grant.write(out.u8(1));
    } else if (proof instanceof Voided voided) {
      voided.tag().write(out.u8(2));
    } else if (proof instanceof Healed healed) {
      healed.tag().write(out.u8(3));
    } else {
      out.u8(0);
    }
  }

  /** Decodes the output of {@link #write}. */
  static Proof read(Decoder in) {
    int kind = in.u8();
    return switch (kind) {
      case 0 -> NONE;
      case 1 -> Grant.read(in);
      case 2 -> new Voided(Tag.read(in));
      case 3 -> new Healed(Tag.read(in));
      default -> throw new MalformedException("unknown kind of proof, kind=" + kind);
    };
  }
}
