package io.lampone.cli.backup;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Objects;
import javax.crypto.Cipher;

/**
 * Reads a part of {@link SealedFormat}. Returns bytes of a piece only after the piece has been
 * authenticated. Holds one piece. Not thread-safe.
 */
final class SealedInput extends InputStream {

  private final DataInputStream in;
  private final String file;
  private final SealedFormat.Pieces pieces;
  private byte[] piece = {};
  private int position;
  private boolean ended;

  /**
   * @param name of the part
   * @param file for messages
   * @throws BackupException if the source is not sealed
   */
  SealedInput(InputStream source, BackupKey key, String name, String file) throws IOException {
    this.in = new DataInputStream(source);
    this.file = file;
    byte[] head = in.readNBytes(SealedFormat.HEAD_BYTES);
    ByteBuffer fields = ByteBuffer.wrap(head);
    if (head.length < SealedFormat.HEAD_BYTES || fields.getInt() != SealedFormat.MAGIC) {
      throw PartReader.damaged(file, "it is not signed, and its backup is");
    }
    byte mode = fields.get();
    if (key.encrypts() && mode != SealedFormat.ENCRYPTED) {
      throw PartReader.damaged(file, "it is not encrypted, and its backup is");
    }
    byte[] salt = new byte[BackupKey.SALT_BYTES];
    fields.get(salt);
    this.pieces = new SealedFormat.Pieces(Cipher.DECRYPT_MODE, key.fileKey(salt), mode, name);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    if (position == piece.length && !nextPiece()) {
      return -1;
    }
    int count = Math.min(length, piece.length - position);
    System.arraycopy(piece, position, target, offset, count);
    position += count;
    return count;
  }

  private boolean nextPiece() throws IOException {
    if (ended) {
      return false;
    }
    int length = in.readInt();
    if (length < 0 || length > SealedFormat.PIECE_BYTES) {
      throw PartReader.damaged(file, "a piece cannot be so long, bytes=" + length);
    }
    byte[] body = in.readNBytes(length);
    byte[] tag = in.readNBytes(SealedFormat.TAG_BYTES);
    try {
      piece = pieces.next(body, tag);
    } catch (GeneralSecurityException e) {
      throw PartReader.damaged(file, "it was not written with this key, or has changed since");
    }
    position = 0;
    ended = length == 0;
    if (ended && in.read() >= 0) {
      throw PartReader.damaged(file, "something follows its end");
    }
    return !ended;
  }
}
