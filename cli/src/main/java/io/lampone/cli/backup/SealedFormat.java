package io.lampone.cli.backup;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Byte layout of a part that is authenticated with a {@link BackupKey}; it wraps that of {@link
 * PartFormat}. Numbers are big-endian.
 *
 * <pre>
 *   sealed = magic:u32 mode:u8 salt:16 piece* last
 *   piece  = length:u32 body tag:16            0 &lt; length &lt;= 1 MB
 *   last   = 0:u32 tag:16
 * </pre>
 *
 * The key is AES-256, one for each salt; the tag is that of GCM, its nonce the number of the piece.
 * Authenticated with each piece are mode, length and the name of the part (id of the backup, table,
 * file), so pieces cannot be moved, cut off or taken from another part. Mode 1: the body is in the
 * clear and authenticated; mode 2: it is encrypted.
 */
final class SealedFormat {

  /** "LMPS". */
  static final int MAGIC = 0x4c4d_5053;

  static final byte SIGNED = 1;
  static final byte ENCRYPTED = 2;

  /** Magic, mode and salt. */
  static final int HEAD_BYTES = Integer.BYTES + 1 + BackupKey.SALT_BYTES;

  /** Longest body of a piece. */
  static final int PIECE_BYTES = 1 << 20;

  static final int TAG_BYTES = 16;

  private static final int NONCE_BYTES = 12;

  private SealedFormat() {}

  /** The name of a part that is authenticated with it. */
  static String name(String backup, String table, String file) {
    return backup + "/" + table + "/" + file;
  }

  /** Seals, or opens, the pieces of one file in their order. Not thread-safe. */
  static final class Pieces {

    private final int operation;
    private final SecretKey key;
    private final byte mode;
    private final byte[] name;
    private final Cipher cipher;

    /** Number of pieces that have been sealed or opened; the nonce of the next. */
    private long number;

    /**
     * @param operation of {@link Cipher}: ENCRYPT_MODE seals, DECRYPT_MODE opens
     * @param name of the part
     */
    Pieces(int operation, SecretKey key, byte mode, String name) {
      this.operation = operation;
      this.key = key;
      this.mode = mode;
      this.name = name.getBytes(StandardCharsets.UTF_8);
      try {
        this.cipher = Cipher.getInstance("AES/GCM/NoPadding");
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("every Java platform has AES/GCM", e);
      }
    }

    /**
     * Seals or opens the next piece.
     *
     * @param body plain text, or the sealed body
     * @param tag tag of the piece to open; empty for sealing
     * @return sealed: body and tag; opened: the plain text
     * @throws GeneralSecurityException if the piece was altered
     */
    byte[] next(byte[] body, byte[] tag) throws GeneralSecurityException {
      byte[] nonce = ByteBuffer.allocate(NONCE_BYTES).putLong(number).array();
      number++;
      cipher.init(operation, key, new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
      cipher.updateAAD(ByteBuffer.allocate(5).put(mode).putInt(body.length).array());
      cipher.updateAAD(name);
      if (mode == ENCRYPTED) {
        return cipher.doFinal(concat(body, tag));
      }
      cipher.updateAAD(body);
      return concat(body, cipher.doFinal(tag));
    }

    private static byte[] concat(byte[] first, byte[] second) {
      return ByteBuffer.allocate(first.length + second.length).put(first).put(second).array();
    }
  }
}
