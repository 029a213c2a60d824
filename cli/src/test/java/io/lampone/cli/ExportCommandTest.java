package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportCommandTest {

  @TempDir private Path folder;

  /** Or who goes on with an export would not find its hold, and leave it until it expires. */
  @Test
  void aFolderHasOneHoldHoweverItIsSpelt() throws IOException {
    Path real = Files.createDirectory(folder.resolve("real"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), real);
    String begun = ExportCommand.holdName(256, real.resolve("b").toString());

    assertThat(ExportCommand.holdName(256, link.resolve("b").toString())).isEqualTo(begun);
    Files.createDirectory(real.resolve("b"));
    for (String spelt :
        new String[] {
          real + "/b",
          real + "/b/",
          real + "/./b",
          link + "/../link/b",
          real.resolve("b").toUri().toString(),
          Path.of("").toAbsolutePath().relativize(real.resolve("b")).toString()
        }) {
      assertThat(ExportCommand.holdName(256, spelt)).as(spelt).isEqualTo(begun);
    }
    assertThat(ExportCommand.holdName(256, real + "/c")).isNotEqualTo(begun);
    assertThat(ExportCommand.holdName(512, real + "/b")).isNotEqualTo(begun);
    assertThat(ExportCommand.holdName(256, "hdfs://nn/b/"))
        .isEqualTo(ExportCommand.holdName(256, "hdfs://nn/b"))
        .isNotEqualTo(ExportCommand.holdName(256, "hdfs://other/b"));
  }
}
