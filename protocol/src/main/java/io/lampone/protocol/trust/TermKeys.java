package io.lampone.protocol.trust;

import io.lampone.protocol.Bytes;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The keys of one term of the time line, derived from the term's key by HKDF-SHA256 (RFC 5869), one
 * for each use.
 *
 * <p>A term is a window of 2^46 ns (19.5 h), so a timestamp says which keys its proofs need.
 */
public final class TermKeys {

  /** Bytes of a term's key. */
  public static final int BYTES = 32;

  private static final int TERM_BITS = 46;
  private static final String ALGORITHM = "HmacSHA256";

  private final Bytes key;
  final SipHash.Key own;
  final SipHash.Key pass;
  final SipHash.Key fate;
  final SipHash.Key mark;

  /** Of HMAC-SHA256: unlike the proofs, passwords of tokens are keys themselves. */
  final byte[] token;

  /**
   * Takes the term's key, as {@link #key} returns it.
   *
   * @throws IllegalArgumentException if it does not have {@link #BYTES} bytes
   */
  public TermKeys(Bytes key) {
    if (key.length() != BYTES) {
      throw new IllegalArgumentException(
          "a term's key has another length, bytes=" + key.length() + " required=" + BYTES);
    }
    this.key = key;
    own = subKey("own");
    pass = subKey("pass");
    fate = subKey("fate");
    mark = subKey("mark");
    token = expand(key.unsafeArray(), label("token"));
  }

  /** The term of a timestamp. */
  public static int termOf(long timestamp) {
    return (int) (timestamp >>> TERM_BITS);
  }

  /** The secret that all keys are derived from, {@link #BYTES} bytes. */
  public Bytes key() {
    return key;
  }

  /** Contains no key. */
  @Override
  public String toString() {
    return "TermKeys";
  }

  /** One block of HKDF's expansion, which is as long as any key here. */
  static byte[] expand(byte[] secret, String label) {
    byte[] info = label.getBytes(StandardCharsets.US_ASCII);
    byte[] block = Arrays.copyOf(info, info.length + 1);
    block[info.length] = 1;
    return hmac(secret, block);
  }

  static byte[] hmac(byte[] secret, byte[] message) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
      return mac.doFinal(message);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  private SipHash.Key subKey(String label) {
    return new SipHash.Key(expand(key.unsafeArray(), label(label)));
  }

  private static String label(String use) {
    return "lampone " + use + " 1";
  }
}
