package io.lampone.protocol.trust;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Timestamps;
import java.time.Duration;
import java.util.Optional;

/**
 * Proves to a region server that its holder may inspect cells as they are stored, provided that
 * HBase allows it to read (protocol page, section 13).
 *
 * <pre>
 *   pass = 01 holder:text expires:i64 tag:16
 *        | 00                                    none
 * </pre>
 *
 * @param holder for whom it was made, 1 to {@link #MAX_HOLDER} characters; for logs
 * @param expiresMillis end of validity, in milliseconds since 1970
 * @param tag see {@link Proofs#inspection}
 */
public record InspectionPass(String holder, long expiresMillis, Tag tag) {

  /** Maximum validity of a pass. */
  public static final Duration LONGEST = Duration.ofHours(1);

  /** Maximum length of a holder's name, in characters. */
  public static final int MAX_HOLDER = 256;

  /** Tolerated lag of a server's clock behind that of the server that made the pass. */
  private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(1);

  private static final int VERSION = 1;

  /** Kind of this statement among those under the same key. */
  private static final int KIND = 7;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private static final int MAX_BYTES = 2 + 4 * MAX_HOLDER + Long.BYTES + Tag.BYTES + 2;

  /**
   * Checks holder and expiry.
   *
   * @throws MalformedException if one is illegal
   */
  public InspectionPass {
    if (holder.isEmpty() || holder.length() > MAX_HOLDER) {
      throw new MalformedException("wrong holder of an inspection pass");
    }
    if (expiresMillis <= 0 || expiresMillis > Timestamps.MAX / NANOS_PER_MILLI) {
      throw new MalformedException("impossible time in an inspection pass");
    }
  }

  /** Returns true if an authentic pass is valid at the given time. */
  public boolean isInTime(long nowMillis) {
    long left = expiresMillis - nowMillis;
    return left > 0 && left <= LONGEST.plus(CLOCKS_DIFFER).toMillis();
  }

  /** Returns the correct tag under the key of the expiry's term; empty without the keys. */
  Optional<Tag> tagOf(KeyRing ring) {
    byte[] message = new Encoder(64).u8(KIND).i64(expiresMillis).text(holder).toByteArray();
    return ring.keys(TermKeys.termOf(Timestamps.ceilingOfMillis(expiresMillis)))
        .map(keys -> SipHash.tag(keys.pass, message));
  }

  /** Encodes the pass. */
  public Bytes encode() {
    Encoder out = new Encoder(64).u8(VERSION).text(holder).i64(expiresMillis);
    tag.write(out);
    return Bytes.wrap(out.toByteArray());
  }

  /** Returns the encoding of a request for inspection without a pass. */
  public static byte[] none() {
    return new byte[1];
  }

  /** Returns true if the bytes request an inspection without a pass. */
  public static boolean isNone(byte[] bytes) {
    return bytes.length == 1 && bytes[0] == 0;
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @throws MalformedException if the bytes are not a pass
   */
  public static InspectionPass decode(byte[] bytes) {
    if (bytes.length > MAX_BYTES) {
      throw new MalformedException("inspection pass too long, bytes=" + bytes.length);
    }
    Decoder in = new Decoder(bytes);
    in.version(VERSION, "inspection pass");
    String holder = in.text();
    long expires = in.i64();
    InspectionPass pass = new InspectionPass(holder, expires, Tag.read(in));
    in.end("inspection pass");
    return pass;
  }
}
