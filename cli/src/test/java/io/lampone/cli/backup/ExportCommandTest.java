package io.lampone.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.Lampone;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportCommandTest {

  @TempDir private Path folder;

  /** Users who learn by this command that the backup is complete may have no cluster at hand. */
  @Test
  void whatIsCompleteIsToldWithoutACluster() throws IOException {
    String content = "{\"format\":1,\"id\":\"i\",\"timestamp\":256,\"tables\":[]}";
    CRC32C crc = new CRC32C();
    crc.update(content.getBytes(StandardCharsets.UTF_8));
    Files.writeString(
        folder.resolve("backup.json"),
        "{\"crc\":" + (int) crc.getValue() + ",\"backup\":" + content + "}");
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();

    int code =
        Lampone.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(
                "export", "--resume", "--zookeeper=127.0.0.1:1", "--unsigned", folder.toString());

    assertThat(code).as(err.toString()).isZero();
    assertThat(out.toString()).startsWith("Exported the snapshot 256, ").contains(", id i\n");
  }

  /** Otherwise a continued export would not find its hold, which would last until it expires. */
  @Test
  void aFolderHasOneHoldHoweverItIsSpelt() throws IOException {
    Path real = Files.createDirectory(folder.resolve("real"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), real);
    String begun = holdName(real.resolve("b").toString());

    assertThat(holdName(link.resolve("b").toString())).isEqualTo(begun);
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
      assertThat(holdName(spelt)).as(spelt).isEqualTo(begun);
    }
    assertThat(holdName(real + "/c")).isNotEqualTo(begun);
    assertThat(ExportCommand.holdName(512, real + "/b", "here")).isNotEqualTo(begun);
    assertThat(holdName("hdfs://nn/b/"))
        .isEqualTo(holdName("hdfs://nn/b"))
        .isNotEqualTo(holdName("hdfs://other/b"));
    // Otherwise the first to end would release the snapshot of both.
    assertThat(ExportCommand.holdName(256, real + "/b", "elsewhere")).isNotEqualTo(begun);
    assertThat(ExportCommand.holdName(256, "hdfs://nn/b", "elsewhere"))
        .isEqualTo(holdName("hdfs://nn/b"));
  }

  private static String holdName(String folder) {
    return ExportCommand.holdName(256, folder, "here");
  }
}
