package io.lampone.protocol.connect;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.trust.ClusterKey;
import io.lampone.protocol.wire.SharedSecret;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads security-relevant files; errors include the remedy. */
public final class SecurityFiles {

  private static final int SHORTEST_TOKEN = 16;
  private static final long HIGHEST_BYTES = 4 << 20;

  private static final Set<PosixFilePermission> FOREIGN =
      EnumSet.of(
          PosixFilePermission.GROUP_READ,
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

  private SecurityFiles() {}

  /**
   * Reads a short file.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if it does not exist or is too long
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
   * Reads the lines of a short file.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if it does not exist or is too long
   */
  public static List<String> lines(Path file) throws IOException {
    return new String(read(file), StandardCharsets.UTF_8).lines().toList();
  }

  /**
   * Reads a secret: the text of a file without trailing white space.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if it does not exist, is too short, or is not private
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
   * Reads a cluster key: a line {@code KEY} or {@code TERM KEY} for each key, where the term is the
   * first to which it applies, and the key is in hexadecimal digits or Base64.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if it does not exist, holds no such key, or is not private
   */
  public static ClusterKey clusterKey(Path file) throws IOException {
    requirePrivate(file);
    Map<Integer, Bytes> keys = new HashMap<>();
    try {
      for (String line : lines(file)) {
        if (!line.isBlank()) {
          String[] fields = line.strip().split(" +", 2);
          int term = fields.length == 2 ? Integer.parseInt(fields[0]) : 0;
          if (term < 0 || keys.put(term, key(fields[fields.length - 1])) != null) {
            throw new IllegalArgumentException();
          }
        }
      }
      return new ClusterKey(keys);
    } catch (IllegalArgumentException e) {
      // The cause would reveal the content of the file.
      throw new IllegalArgumentException(
          "no cluster key of "
              + ClusterKey.BYTES
              + " bytes, make one by lampone tm keys, file="
              + file.toAbsolutePath());
    }
  }

  private static Bytes key(String text) {
    return Bytes.wrap(
        text.length() == 2 * ClusterKey.BYTES
            ? HexFormat.of().parseHex(text)
            : Base64.getDecoder().decode(text));
  }

  /**
   * Adds a key to a file of cluster keys. Atomic: another program reads the old file or the new
   * one.
   *
   * @param named the file, or a symbolic link to it, which stays
   * @param term the first term to which the key applies
   * @throws IOException if the file cannot be written
   * @throws IllegalArgumentException if it holds no cluster key, is not private, belongs to another
   *     user, or has a key for that term or a later one
   */
  public static void addClusterKey(Path named, int term) throws IOException {
    clusterKey(named);
    Path file = named.toRealPath();
    List<String> lines = new ArrayList<>(lines(file));
    for (String line : lines) {
      String[] fields = line.strip().split(" +", 2);
      if (fields.length == 2 && Integer.parseInt(fields[0]) >= term) {
        throw new IllegalArgumentException(
            "there is a key for a later term already, which has to count first, term="
                + fields[0]
                + " file="
                + file.toAbsolutePath());
      }
    }
    Path added = file.resolveSibling(file.getFileName() + ".new");
    Files.deleteIfExists(added);
    try {
      createClusterKey(added);
      requireOwned(file, Files.getOwner(added));
      lines.add(term + " " + Files.readString(added, StandardCharsets.US_ASCII).strip());
      Files.write(added, lines, StandardCharsets.US_ASCII);
      try (FileChannel channel = FileChannel.open(added, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      Files.move(added, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(added);
    }
  }

  /** Refuses to replace a file of another user, which the new file would take away from them. */
  static void requireOwned(Path file, UserPrincipal user) throws IOException {
    UserPrincipal owner = Files.getOwner(file);
    if (!owner.equals(user)) {
      throw new IllegalArgumentException(
          "the file belongs to another user: run it as "
              + owner.getName()
              + ", file="
              + file.toAbsolutePath());
    }
  }

  /**
   * Creates a cluster key in a new file that only its owner can read.
   *
   * @throws IOException if it cannot be written, or exists
   */
  public static void createClusterKey(Path file) throws IOException {
    byte[] key = new byte[ClusterKey.BYTES];
    new SecureRandom().nextBytes(key);
    boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] owned =
        posix
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
            }
            : new FileAttribute<?>[0];
    Files.createFile(file, owned);
    Files.writeString(file, HexFormat.of().formatHex(key) + "\n", StandardCharsets.US_ASCII);
  }

  /**
   * Returns the bearer token in a file.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if it has fewer than {@value #SHORTEST_TOKEN} characters or a
   *     space, or others may read it
   */
  public static String token(Path file) throws IOException {
    requirePrivate(file);
    String text = new String(read(file), StandardCharsets.UTF_8).strip();
    if (text.length() < SHORTEST_TOKEN || text.contains(" ")) {
      throw new IllegalArgumentException(
          "no token: at least "
              + SHORTEST_TOKEN
              + " characters without spaces are needed, file="
              + file.toAbsolutePath());
    }
    return text;
  }

  /**
   * Refuses a file with secrets that others than its owner may read or change, and a symbolic link
   * to a file of another owner: anyone who may change that owner's folder could replace the file.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if it is refused or does not exist
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
    if (!Collections.disjoint(permissions, FOREIGN)) {
      throw new IllegalArgumentException(
          "others may read or change this file, run chmod go-rwx on it, file="
              + file.toAbsolutePath());
    }
    if (Files.isSymbolicLink(file)
        && !Files.getOwner(file).equals(Files.getOwner(file, LinkOption.NOFOLLOW_LINKS))) {
      throw new IllegalArgumentException(
          "a symbolic link to a file of another owner: name the file itself, file="
              + file.toAbsolutePath());
    }
  }
}
