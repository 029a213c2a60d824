package io.lampone.cli.backup;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;

/** Writes a part in {@link SealedFormat}. Holds one piece. Not thread-safe. */
final class SealedOutput extends OutputStream {

  private final DataOutputStream out;
  private final SealedFormat.Pieces pieces;
  private final byte[] piece = new byte[SealedFormat.PIECE_BYTES];
  private int length;

  /**
   * @param name of the part
   */
  SealedOutput(OutputStream target, BackupKey key, String name) throws IOException {
    byte mode = key.encrypts() ? SealedFormat.ENCRYPTED : SealedFormat.SIGNED;
    byte[] salt = BackupKey.newSalt();
    this.out = new DataOutputStream(target);
    this.pieces = new SealedFormat.Pieces(Cipher.ENCRYPT_MODE, key.fileKey(salt), mode, name);
    out.writeInt(SealedFormat.MAGIC);
    out.writeByte(mode);
    out.write(salt);
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    int done = 0;
    while (done < count) {
      int more = Math.min(count - done, piece.length - length);
      System.arraycopy(bytes, offset + done, piece, length, more);
      length += more;
      done += more;
      if (length == piece.length) {
        writePiece();
      }
    }
  }

  /** Writes the end; the caller closes the target. */
  void end() throws IOException {
    if (length > 0) {
      writePiece();
    }
    writePiece();
    out.flush();
  }

  private void writePiece() throws IOException {
    out.writeInt(length);
    try {
      out.write(pieces.next(Arrays.copyOf(piece, length), new byte[0]));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a piece can always be sealed", e);
    }
    length = 0;
  }
}
