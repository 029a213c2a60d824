package io.lampone.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The key of a test's backups, and commands that use it. */
final class SignedBackups {

  private final Path key;

  SignedBackups(Path key) throws IOException {
    this.key = key;
    Files.createFile(
        key, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(key, "0123456789abcdef0123456789abcdef\n");
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
