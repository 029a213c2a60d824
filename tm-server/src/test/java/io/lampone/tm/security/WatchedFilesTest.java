package io.lampone.tm.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.connect.SecurityFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are changed under a running process. */
final class WatchedFilesTest {

  @TempDir private Path folder;

  /** The advice is to change its rights: that changes neither its time nor its size. */
  @Test
  void aFileWhoseRightsAreMendedIsRead() throws Exception {
    Path file = write("secret", "one", "rw-------");
    WatchedFiles<List<String>> watched = new WatchedFiles<>(List.of(file), () -> read(file));
    Path next = write("next", "two", "rw-r--r--");
    Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
    assertThat(watched.refresh()).isFalse();
    assertThat(watched.refresh()).isFalse();
    assertThat(watched.failures()).as("told once").isEqualTo(1);
    assertThat(watched.current()).containsExactly("one");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    assertThat(watched.refresh()).isTrue();
    assertThat(watched.current()).containsExactly("two");
    assertThat(watched.refresh()).isFalse();
  }

  @Test
  void whatCouldNotBeReadForAMomentIsReadTheNextTime() throws Exception {
    Path file = write("file", "one", "rw-------");
    boolean[] broken = new boolean[1];
    WatchedFiles<List<String>> watched =
        new WatchedFiles<>(
            List.of(file),
            () -> {
              if (broken[0]) {
                throw new IOException("input/output error");
              }
              return read(file);
            });
    Files.writeString(file, "two, and longer");
    broken[0] = true;
    assertThat(watched.refresh()).isFalse();
    broken[0] = false;
    assertThat(watched.refresh()).isTrue();
    assertThat(watched.current()).containsExactly("two, and longer");
  }

  @Test
  void whatTheGroupMayReadIsNoSecretAndALinkToOnesOwnFileIs() throws Exception {
    for (String rights : List.of("rw-r-----", "rw--w----", "rw----r--", "rw-----w-")) {
      Path open = write("open", "one", rights);
      assertThatThrownBy(() -> read(open))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("chmod go-rwx");
    }
    Path own = write("own", "one", "rw-------");
    Path link = Files.createSymbolicLink(folder.resolve("link"), own);
    assertThat(read(link)).containsExactly("one");
  }

  private static List<String> read(Path file) throws IOException {
    SecurityFiles.requirePrivate(file);
    return Files.readAllLines(file);
  }

  private Path write(String name, String text, String rights) throws IOException {
    Path file = Files.writeString(folder.resolve(name), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(rights));
    return file;
  }
}
