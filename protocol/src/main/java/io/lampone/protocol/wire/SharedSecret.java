package io.lampone.protocol.wire;

import io.lampone.protocol.Bytes;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Mutual authentication by a secret that is never sent: each end computes an HMAC-SHA256 over both
 * nonces and the credential. The labels of the two ends differ, so that neither can reflect the
 * other's code.
 *
 * <p>This authenticates the ends when the connection is made; it does not protect later traffic
 * from an attacker who can change bytes on the way, for which TLS is needed.
 */
public final class SharedSecret {

  /** Minimum length of a secret, in bytes. */
  public static final int LOWEST_BYTES = 16;

  private static final String ALGORITHM = "HmacSHA256";
  private static final byte[] CLIENT = "lampone client 1\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SERVER = "lampone server 1\n".getBytes(StandardCharsets.US_ASCII);

  private final SecretKeySpec key;

  /**
   * Creates a shared secret.
   *
   * @throws IllegalArgumentException if it has fewer than {@link #LOWEST_BYTES} bytes
   */
  public SharedSecret(Bytes secret) {
    if (secret.length() < LOWEST_BYTES) {
      throw new IllegalArgumentException(
          "secret too short, bytes=" + secret.length() + " lowest=" + LOWEST_BYTES);
    }
    this.key = new SecretKeySpec(secret.toArray(), ALGORITHM);
  }

  /** Returns the client's proof. */
  public Bytes clientMac(Bytes serverNonce, Bytes clientNonce, Bytes credential) {
    return mac(CLIENT, serverNonce, clientNonce, credential);
  }

  /** Returns the server's counterproof. */
  public Bytes serverMac(Bytes serverNonce, Bytes clientNonce, Bytes credential) {
    return mac(SERVER, serverNonce, clientNonce, credential);
  }

  /** Compares two codes in constant time, wherever they differ. */
  public static boolean same(Bytes one, Bytes other) {
    return MessageDigest.isEqual(one.unsafeArray(), other.unsafeArray());
  }

  /** Compares two secrets in constant time, wherever they differ. */
  public boolean isSame(SharedSecret other) {
    return MessageDigest.isEqual(key.getEncoded(), other.key.getEncoded());
  }

  /** Hides the secret. */
  @Override
  public String toString() {
    return "SharedSecret";
  }

  private Bytes mac(byte[] label, Bytes serverNonce, Bytes clientNonce, Bytes credential) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(label);
      // Both nonces have a fixed length, so that distinct inputs stay distinct.
      mac.update(serverNonce.unsafeArray());
      mac.update(clientNonce.unsafeArray());
      mac.update(credential.unsafeArray());
      return Bytes.wrap(mac.doFinal());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }
}
