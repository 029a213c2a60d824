package io.lampone.protocol.trust;

import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import java.util.HexFormat;

/**
 * The commit timestamp from which on a stored leader shows the statement by which it was committed
 * (protocol page, section 13). In the transaction managers' record: {@code timestamp tag}, the tag
 * in hexadecimal digits.
 *
 * @param timestamp the first timestamp of the epoch in which it was stated
 * @param tag states it, see {@link Proofs#proofsFrom}
 */
public record ProofsFrom(long timestamp, Tag tag) {

  /**
   * Parses the output of {@link #toText}.
   *
   * @throws MalformedException if the text is not such a pair
   */
  public static ProofsFrom parse(String text) {
    int space = text.indexOf(' ');
    try {
      byte[] tag = HexFormat.of().parseHex(text.substring(space + 1));
      Decoder in = new Decoder(tag);
      ProofsFrom parsed =
          new ProofsFrom(Long.parseLong(text.substring(0, Math.max(space, 0))), Tag.read(in));
      in.end("statement of proofs");
      return parsed;
    } catch (IllegalArgumentException e) {
      throw new MalformedException("not a timestamp and a tag", e);
    }
  }

  /** Returns the pair as text. */
  public String toText() {
    Encoder out = new Encoder(Tag.BYTES);
    tag.write(out);
    return timestamp + " " + HexFormat.of().formatHex(out.toByteArray());
  }
}
