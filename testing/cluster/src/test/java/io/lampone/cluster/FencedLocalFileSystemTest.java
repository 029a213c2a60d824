package io.lampone.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FencedLocalFileSystemTest {

  private static final byte[] LINE = {1, 2, 3};
  private static final String BEFORE = "could not be written before";

  @TempDir private java.nio.file.Path folder;

  private FileSystem files;

  @BeforeEach
  void opensAsAServerDoes() throws IOException {
    Configuration configuration = new Configuration();
    FencedLocalFileSystem.SETTINGS.forEach(configuration::set);
    files = FileSystem.newInstance(URI.create("file:///"), configuration);
    // As HBase does for its own files.
    files.setWriteChecksum(false);
  }

  @AfterEach
  void closes() throws IOException {
    files.close();
  }

  @Test
  void whoseLogWasMovedCannotFlushAnyMore() throws IOException {
    java.nio.file.Path server = Files.createDirectory(folder.resolve("rs1"));
    FSDataOutputStream log = create(server);
    log.write(LINE);
    log.hflush();
    log.hsync();
    Files.move(server, folder.resolve("rs1-splitting"));
    log.write(LINE);
    assertThatThrownBy(log::hflush).isInstanceOf(IOException.class).hasMessageContaining("moved");
    assertThatThrownBy(log::close).isInstanceOf(IOException.class);
  }

  @Test
  void whoHasFailedOnceFailsFromThenOn() throws IOException {
    java.nio.file.Path server = Files.createDirectory(folder.resolve("rs1"));
    FSDataOutputStream log = create(server);
    Files.move(server, folder.resolve("elsewhere"));
    log.write(LINE);
    assertThatThrownBy(log::hsync).isInstanceOf(IOException.class).hasMessageContaining("moved");
    Files.move(folder.resolve("elsewhere"), server);
    assertThatThrownBy(log::hflush).isInstanceOf(IOException.class).hasMessageContaining(BEFORE);
    log.write(LINE);
    assertThatThrownBy(log::hsync).isInstanceOf(IOException.class).hasMessageContaining(BEFORE);
    assertThatThrownBy(log::close).isInstanceOf(IOException.class);
    assertThat(Files.readAllBytes(server.resolve("log"))).isEqualTo(LINE);
  }

  @Test
  void anotherFileInItsPlaceIsNotIts() throws IOException {
    FSDataOutputStream log = create(folder);
    log.write(LINE);
    log.hflush();
    Files.move(folder.resolve("log"), folder.resolve("old"));
    Files.write(folder.resolve("log"), LINE);
    assertThatThrownBy(log::hflush).hasMessageContaining("moved");
    assertThatThrownBy(log::close).isInstanceOf(IOException.class);
  }

  @Test
  void whatIsFlushedIsThereForOthersAtOnce() throws IOException {
    assertThat(files).isInstanceOf(LocalFileSystem.class);
    try (FSDataOutputStream log = create(folder)) {
      log.write(LINE);
      log.hflush();
      assertThat(Files.readAllBytes(folder.resolve("log"))).isEqualTo(LINE);
      assertThat(log.hasCapability("hflush")).isTrue();
    }
  }

  private FSDataOutputStream create(java.nio.file.Path where) throws IOException {
    return files.create(new Path(where.resolve("log").toUri()));
  }
}
