package io.lampone.protocol.connect;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.wire.SharedSecret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;

/** Reads files that security rests on, with an error that says what to do. */
public final class SecurityFiles {

  private static final long HIGHEST_BYTES = 4 << 20;

  private SecurityFiles() {}

  /**
   * The bytes of a file that should be short.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if it is not there, or too long
   */
  public static byte[] read(Path file) throws IOException {
    if (!Files.isReadable(file) || Files.isDirectory(file)) {
      throw new IllegalArgumentException("no readable file, file=" + file.toAbsolutePath());
    }
    if (Files.size(file) > HIGHEST_BYTES) {
      throw new IllegalArgumentException(
          "file too long, bytes="
              + Files.size(file)
              + " highest="
              + HIGHEST_BYTES
              + " file="
              + file);
    }
    return Files.readAllBytes(file);
  }

  /**
   * The lines of a file that should be short.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if it is not there, or too long
   */
  public static List<String> lines(Path file) throws IOException {
    return new String(read(file), StandardCharsets.UTF_8).lines().toList();
  }

  /**
   * The secret that a file holds: its text, without the white space that editors leave at its end.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if it is not there, too short, or not private
   */
  public static SharedSecret secret(Path file) throws IOException {
    requirePrivate(file);
    String text = new String(read(file), StandardCharsets.UTF_8).strip();
    try {
      return new SharedSecret(Bytes.utf8(text));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(e.getMessage() + ", file=" + file.toAbsolutePath(), e);
    }
  }

  /**
   * Refuses a file with secrets that everybody on this machine may read or change.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if that is so, or it is not there
   */
  public static void requirePrivate(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException("no readable file, file=" + file.toAbsolutePath());
    }
    Set<PosixFilePermission> permissions;
    try {
      permissions = Files.getPosixFilePermissions(file);
    } catch (UnsupportedOperationException e) {
      return; // a file system without these permissions
    }
    if (permissions.contains(PosixFilePermission.OTHERS_READ)
        || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new IllegalArgumentException(
          "everybody may read or change this file, run chmod o-rwx on it, file="
              + file.toAbsolutePath());
    }
  }
}
