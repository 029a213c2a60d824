package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalFilesTest {

  private static final int PERMISSION_BITS = 07777;

  @TempDir private java.nio.file.Path folder;
  private FileSystem files;

  @BeforeEach
  void setUp() throws IOException {
    Configuration settings = new Configuration();
    settings.set("fs.file.impl", LocalFiles.class.getName());
    files = FileSystem.newInstance(new Path("file:///").toUri(), settings);
    assertThat(files).isInstanceOf(LocalFiles.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"000", "700", "640", "751", "777", "1777"})
  void permissionsAreThoseThatWereSet(String octal) throws IOException {
    java.nio.file.Path file = Files.createFile(folder.resolve("fruit"));
    FsPermission permission = new FsPermission(octal);

    files.setPermission(path(file), permission);

    assertThat((int) Files.getAttribute(file, "unix:mode") & PERMISSION_BITS)
        .isEqualTo(Integer.parseInt(octal, 8));
  }

  @Test
  void anAbsentFileIsAnError() {
    assertThatIOException()
        .isThrownBy(
            () -> files.setPermission(path(folder.resolve("absent")), new FsPermission("700")));
  }

  private static Path path(java.nio.file.Path file) {
    return new Path(file.toUri());
  }
}
