package io.lampone.protocol.trust;

import io.lampone.protocol.Bytes;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The keys of one term, one for each use, derived from the term's key by HKDF-SHA256 (RFC 5869).
 *
 * <p>A term is a window of 2^46 ns (19.5 h), so a timestamp determines the keys of its proofs.
 */
public final class TermKeys {

  /** Length of a term's key, in bytes. */
  public static final int BYTES = 32;

  private static final int TERM_BITS = 46;
  private static final String ALGORITHM = "HmacSHA256";

  private final Bytes key;
  final SipHash.Key own;
  final SipHash.Key pass;
  final SipHash.Key fate;
  final SipHash.Key mark;

  /** HMAC-SHA256 key of token passwords, which unlike the proofs are keys themselves. */
  final byte[] token;

  /**
   * Creates the keys from the term's key, as {@link #key} returns it.
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

  /** Returns the term of a timestamp. */
  public static int termOf(long timestamp) {
    return (int) (timestamp >>> TERM_BITS);
  }

  /** Returns the secret from which all keys are derived, {@link #BYTES} bytes. */
  public Bytes key() {
    return key;
  }

  /** Contains no key. */
  @Override
  public String toString() {
    return "TermKeys";
  }

  /** Returns one block of HKDF's expansion, which is as long as any key here. */
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
