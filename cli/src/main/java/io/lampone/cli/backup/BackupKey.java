package io.lampone.cli.backup;

import io.lampone.protocol.connect.SecurityFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * Secret shared by the operators of a backup. It authenticates the manifests and the part files, so
 * that a restore accepts only data written with the key; on request it encrypts the parts.
 */
public final class BackupKey {

  /** Length of the salt from which the key of one file follows, in bytes. */
  static final int SALT_BYTES = 16;

  /** Shorter keys are refused: 32 random bytes in base64 are 44. */
  private static final int LOWEST_BYTES = 32;

  private static final String MAC = "HmacSHA256";
  private static final SecureRandom RANDOM = new SecureRandom();

  private final byte[] secret;
  private final boolean encrypts;

  private BackupKey(byte[] secret, boolean encrypts) {
    this.secret = secret;
    this.encrypts = encrypts;
  }

  /**
   * Reads the key from a file.
   *
   * @param encrypts true to encrypt written parts
   * @throws BackupException if the file is missing, too short, or accessible to others
   */
  public static BackupKey read(Path file, boolean encrypts) throws IOException {
    try {
      SecurityFiles.requirePrivate(file);
      byte[] secret = bytes(new String(SecurityFiles.read(file), StandardCharsets.UTF_8).strip());
      if (secret.length < LOWEST_BYTES) {
        throw new IllegalArgumentException(
            "key too short, bytes=" + secret.length + " lowest=" + LOWEST_BYTES);
      }
      return new BackupKey(secret, encrypts);
    } catch (IllegalArgumentException | IOException e) {
      throw new BackupException(
          "the key of the backup cannot be read: " + e.getMessage(),
          "make one that only you can read: (umask 077; openssl rand -base64 32 > FILE)",
          e);
    }
  }

  /** Returns this key for a backup of which all parts are encrypted, or none. */
  BackupKey encrypting(boolean encrypted) {
    return new BackupKey(secret, encrypted);
  }

  /** Returns true if written parts are encrypted, and read ones must be. */
  boolean encrypts() {
    return encrypts;
  }

  static byte[] newSalt() {
    byte[] salt = new byte[SALT_BYTES];
    RANDOM.nextBytes(salt);
    return salt;
  }

  /** The AES key of one file. Salts are drawn at random, so no two files share a key. */
  SecretKey fileKey(byte[] salt) {
    return new SecretKeySpec(mac(secret, bytes("lampone backup part"), salt), "AES");
  }

  /** Returns the HMAC-SHA256 of a manifest; those of plan and complete backup differ. */
  byte[] manifestMac(String name, byte[] content) {
    return mac(mac(secret, bytes("lampone backup manifest"), bytes(name)), content);
  }

  private static byte[] mac(byte[] key, byte[]... parts) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(new SecretKeySpec(key, MAC));
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + MAC, e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
