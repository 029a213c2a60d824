package io.lampone.protocol.trust;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The identifier of a delegation token. It is public and useless without its {@linkplain
 * Proofs#tokenPassword password}.
 *
 * <pre>
 *   identifier = 01 owner:text renewer:text issued:i64 expires:i64 latest:i64 number:i64
 * </pre>
 *
 * @param owner the principal on whose behalf the holder acts, 1 to 64 characters
 * @param renewer the principal that may renew it; empty for none
 * @param issuedMillis time of issue, in milliseconds since 1970; its term determines the key
 * @param expiresMillis end of validity unless renewed, in milliseconds since 1970
 * @param latestMillis latest end of validity after renewals, in milliseconds since 1970
 * @param number a random number, unique among tokens
 */
public record DelegationToken(
    String owner,
    String renewer,
    long issuedMillis,
    long expiresMillis,
    long latestMillis,
    long number) {

  /** Prefix of a token in place of a principal's name; no principal's name has a colon. */
  public static final String PREFIX = "token:";

  /** Child of the transaction managers' znode that holds renewals and cancellations. */
  public static final String ZNODE = "tokens";

  /** Maximum length of an identifier, in bytes. */
  public static final int MAX_BYTES = 200;

  private static final int VERSION = 1;
  private static final String OWNER = "[A-Za-z0-9._@=, -]{1,64}";
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final byte[] POSSESSION =
      "lampone token holder 1\n".getBytes(StandardCharsets.US_ASCII);

  /**
   * Checks the names and the order of the times.
   *
   * @throws MalformedException if a name or a time is illegal
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

  /** Encodes the identifier. */
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
   * Decodes an identifier.
   *
   * @throws MalformedException if the bytes are not an identifier, or exceed {@link #MAX_BYTES}
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

  /** Returns {@link #PREFIX} and the identifier in base64url. */
  public String name() {
    return PREFIX + text(encode());
  }

  /**
   * Parses a {@link #name}.
   *
   * @throws MalformedException if it is not the name of a token
   */
  public static DelegationToken ofName(String name) {
    if (!name.startsWith(PREFIX)) {
      throw new MalformedException("not the name of a delegation token");
    }
    return decode(bytes(name.substring(PREFIX.length())));
  }

  /** Encodes bytes as base64url without padding. */
  public static String text(Bytes bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.unsafeArray());
  }

  /**
   * Decodes base64url.
   *
   * @throws MalformedException if the text is not base64url
   */
  public static Bytes bytes(String text) {
    try {
      return Bytes.wrap(Base64.getUrlDecoder().decode(text));
    } catch (IllegalArgumentException e) {
      throw new MalformedException("not base64url");
    }
  }

  /** Returns the proof that the sender of a command has the password, which is not sent itself. */
  public Bytes possession(Bytes password) {
    byte[] identifier = encode().unsafeArray();
    byte[] message = new byte[POSSESSION.length + identifier.length];
    System.arraycopy(POSSESSION, 0, message, 0, POSSESSION.length);
    System.arraycopy(identifier, 0, message, POSSESSION.length, identifier.length);
    return Bytes.wrap(TermKeys.hmac(password.unsafeArray(), message));
  }

  /** Returns the term whose key makes the password. */
  int term() {
    return TermKeys.termOf(issuedMillis * NANOS_PER_MILLI);
  }

  /** Returns a description for logs and messages. */
  public String description() {
    return "token=" + Long.toHexString(number) + " owner=" + owner;
  }
}
