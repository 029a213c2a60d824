package io.lampone.protocol.trust;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The identifier of a delegation token: public, and worth nothing without its {@linkplain
 * Proofs#tokenPassword password}.
 *
 * <pre>
 *   identifier = 01 owner:text renewer:text issued:i64 expires:i64 latest:i64 number:i64
 * </pre>
 *
 * @param owner the principal in whose name its holder acts, 1 to 64 characters
 * @param renewer the principal that may renew it; empty for none
 * @param issuedMillis when it was issued, in milliseconds since 1970; its term decides the key
 * @param expiresMillis until when it is valid unless it is renewed
 * @param latestMillis until when it can be renewed at most
 * @param number a random number that no other token has
 */
public record DelegationToken(
    String owner,
    String renewer,
    long issuedMillis,
    long expiresMillis,
    long latestMillis,
    long number) {

  /** The prefix of a token in the place of a principal's name; no principal's name has a colon. */
  public static final String PREFIX = "token:";

  /** The child of the transaction managers' znode under which renewals and cancellations are. */
  public static final String ZNODE = "tokens";

  /** The most bytes of an identifier. */
  public static final int MAX_BYTES = 200;

  private static final int VERSION = 1;
  private static final String OWNER = "[A-Za-z0-9._@=, -]{1,64}";
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final byte[] POSSESSION =
      "lampone token holder 1\n".getBytes(StandardCharsets.US_ASCII);

  /**
   * Checks the names and the order of the times.
   *
   * @throws MalformedException if a name or a time is impossible
   */
  public DelegationToken {
    if (!owner.matches(OWNER) || !renewer.isEmpty() && !renewer.matches(OWNER)) {
      throw new MalformedException("wrong name of an owner or a renewer in a delegation token");
    }
    if (issuedMillis <= 0
        || expiresMillis < issuedMillis
        || latestMillis < expiresMillis
        || latestMillis > Long.MAX_VALUE / NANOS_PER_MILLI) {
      throw new MalformedException("impossible times in a delegation token");
    }
  }

  /** The bytes of the identifier. */
  public Bytes encode() {
    return Bytes.wrap(
        new Encoder(MAX_BYTES)
            .u8(VERSION)
            .text(owner)
            .text(renewer)
            .i64(issuedMillis)
            .i64(expiresMillis)
            .i64(latestMillis)
            .i64(number)
            .toByteArray());
  }

  /**
   * Reads an identifier.
   *
   * @throws MalformedException if it is none, or longer than {@link #MAX_BYTES}
   */
  public static DelegationToken decode(Bytes identifier) {
    if (identifier.length() > MAX_BYTES) {
      throw new MalformedException("delegation token too long, bytes=" + identifier.length());
    }
    Decoder decoder = new Decoder(identifier.unsafeArray());
    decoder.version(VERSION, "delegation token");
    DelegationToken token =
        new DelegationToken(
            decoder.text(),
            decoder.text(),
            decoder.i64(),
            decoder.i64(),
            decoder.i64(),
            decoder.i64());
    decoder.end("delegation token");
    if (!token.encode().equals(identifier)) {
      throw new MalformedException("delegation token in another form than its own");
    }
    return token;
  }

  /** {@link #PREFIX} and the identifier, in the characters of base64url. */
  public String name() {
    return PREFIX + text(encode());
  }

  /**
   * Reads a {@link #name}.
   *
   * @throws MalformedException if it is none
   */
  public static DelegationToken ofName(String name) {
    if (!name.startsWith(PREFIX)) {
      throw new MalformedException("not the name of a delegation token");
    }
    return decode(bytes(name.substring(PREFIX.length())));
  }

  /** Bytes as base64url without padding. */
  public static String text(Bytes bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.unsafeArray());
  }

  /**
   * Reads base64url.
   *
   * @throws MalformedException if it is something else
   */
  public static Bytes bytes(String text) {
    try {
      return Bytes.wrap(Base64.getUrlDecoder().decode(text));
    } catch (IllegalArgumentException e) {
      throw new MalformedException("not base64url");
    }
  }

  /** Shows a server that the sender of a command has the password, which does not travel. */
  public Bytes possession(Bytes password) {
    byte[] identifier = encode().unsafeArray();
    byte[] message = new byte[POSSESSION.length + identifier.length];
    System.arraycopy(POSSESSION, 0, message, 0, POSSESSION.length);
    System.arraycopy(identifier, 0, message, POSSESSION.length, identifier.length);
    return Bytes.wrap(TermKeys.hmac(password.unsafeArray(), message));
  }

  /** The term whose key makes the password. */
  int term() {
    return TermKeys.termOf(issuedMillis * NANOS_PER_MILLI);
  }

  /** Names the token in logs and messages. */
  public String description() {
    return "token=" + Long.toHexString(number) + " owner=" + owner;
  }
}
