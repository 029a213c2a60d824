package io.lampone.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The key of a test's backups, and commands that use it. */
final class SignedBackups {

  private final Path key;

  SignedBackups(Path key) throws IOException {
    this.key = key;
    Files.createFile(
        key, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(key, "0123456789abcdef0123456789abcdef\n");
  }

  /** Returns the modes of all parts of a backup, as {@code SealedFormat} has them. */
  static List<Integer> modes(Path backup) throws IOException {
    List<Integer> modes = new ArrayList<>();
    try (Stream<Path> files = Files.walk(backup)) {
      for (Path file : files.toList()) {
        if (file.getFileName().toString().startsWith("part-")) {
          modes.add((int) Files.readAllBytes(file)[Integer.BYTES]);
        }
      }
    }
    return modes;
  }

  /** Returns a command at a cluster, with the key for {@code export} and {@code restore}. */
  List<String> command(String zooKeeper, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--zookeeper=" + zooKeeper);
    if (Set.of("export", "restore").contains(arguments[0])) {
      all.add("--key-file=" + key);
    }
    return all;
  }
}
