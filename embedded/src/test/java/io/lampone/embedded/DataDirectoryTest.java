package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.embedded.EmbeddedStartException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {

  @TempDir private Path temporary;

  @Test
  void aMissingFolderIsCreatedWithItsParents() throws IOException {
    Path folder = temporary.resolve("a/b c");

    try (DataDirectory directory = DataDirectory.claim(folder)) {
      assertThat(directory.hbase()).isDirectory();
      assertThat(directory.zooKeeper()).isDirectory();
      assertThat(directory.root()).isAbsolute();
    }
  }

  @Test
  void aFolderIsHeldByOneOwnerUntilItIsClosed() throws IOException {
    DataDirectory first = DataDirectory.claim(temporary);

    assertThatExceptionOfType(EmbeddedStartException.class)
        .isThrownBy(() -> DataDirectory.claim(temporary))
        .withMessageContaining(temporary.toString())
        .extracting(EmbeddedStartException::reason)
        .isEqualTo(Reason.DATA_DIRECTORY_IN_USE);

    first.close();
    DataDirectory.claim(temporary).close();
  }

  @Test
  void aFileInPlaceOfTheFolderIsRefused() throws IOException {
    Path file = Files.createFile(temporary.resolve("file"));

    assertThatExceptionOfType(EmbeddedStartException.class)
        .isThrownBy(() -> DataDirectory.claim(file))
        .withMessageContaining(file.toString())
        .extracting(EmbeddedStartException::reason)
        .isEqualTo(Reason.DATA_DIRECTORY_NOT_WRITABLE);
  }

  @Test
  void theFolderOfAClusterOfProcessesIsRefusedAndLeftAsItIs() throws IOException {
    Files.createFile(temporary.resolve("cluster.json"));

    assertThatExceptionOfType(EmbeddedStartException.class)
        .isThrownBy(() -> DataDirectory.claim(temporary))
        .withMessageContaining("'lampone cluster start'")
        .withMessageContaining("directory=" + temporary)
        .extracting(EmbeddedStartException::reason)
        .isEqualTo(Reason.DATA_DIRECTORY_IN_USE);
    try (Stream<Path> files = Files.list(temporary)) {
      assertThat(files).hasSize(1);
    }
  }
}
