package io.lampone.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.cli.backup.PartFormat.Totals;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.KeyValue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two exporters in one folder, one of which was mistaken for dead. */
class BackupFolderTest {

  private static final long TIMESTAMP = 1_800_000_000_000_000_000L & ~255L;
  private static final String BACKUP = "id";
  private static final String TABLE = "t";
  private static final String PART = "part-00000";

  @TempDir private Path place;

  private BackupFolder first;
  private BackupFolder second;

  @BeforeEach
  void open() throws IOException {
    first = BackupFolder.of(place.toString(), new Configuration(), Optional.empty());
    second = BackupFolder.of(place.toString(), new Configuration(), Optional.empty());
  }

  @Test
  void aPartIsAsItsWriterWroteItWhateverAnotherOneHasBegunAndLeft() throws IOException {
    Totals written =
        first.writePart(
            BACKUP,
            TABLE,
            PART,
            out -> {
              PartWriter writer = new PartWriter(out, TIMESTAMP);
              write(writer, "a");
              assertThatThrownBy(
                      () ->
                          second.writePart(
                              BACKUP,
                              TABLE,
                              PART,
                              other -> {
                                other.write(1);
                                other.flush();
                                throw new IOException("killed");
                              }))
                  .hasMessageContaining("killed");
              write(writer, "b");
              return writer.end();
            });

    assertThat(written.rows()).isEqualTo(2);
    assertThat(second.readPart(BACKUP, TABLE, PART, TIMESTAMP, cell -> {})).isEqualTo(written);
    assertThat(names()).containsExactly(PART);
  }

  /** Otherwise a backup would expose data protected by HBase's permissions. */
  @Test
  void onlyTheOwnerMayReadABackup() throws IOException {
    Path fresh = place.resolve("above").resolve("backup");
    BackupFolder folder = BackupFolder.of(fresh.toString(), new Configuration(), Optional.empty());
    folder.writePart(BACKUP, TABLE, PART, out -> part(out, "a"));
    assertThat(permissions(fresh)).isEqualTo("rwx------");
    assertThat(permissions(fresh.resolve(TABLE))).isEqualTo("rwx------");
    assertThat(permissions(fresh.resolve(TABLE).resolve(PART))).isEqualTo("rw-------");
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void aPartThatIsThereIsNotReplaced() throws IOException {
    assertThatThrownBy(
            () ->
                first.writePart(
                    BACKUP,
                    TABLE,
                    PART,
                    out -> {
                      second.writePart(BACKUP, TABLE, PART, other -> part(other, "second"));
                      return part(out, "first");
                    }))
        .isInstanceOfSatisfying(
            BackupException.class, e -> assertThat(e.advice()).contains("--resume"))
        .hasMessageContaining("another export has written this file meanwhile")
        .hasMessageContaining(PART);

    first.readPart(
        BACKUP,
        TABLE,
        PART,
        TIMESTAMP,
        cell ->
            assertThat(new String(cell.getRowArray(), 0, 100, StandardCharsets.UTF_8))
                .contains("second"));
    assertThat(names()).containsExactly(PART);
  }

  @Test
  void whatLeavesLessOnTheDiskThanWasWrittenHasNoName() {
    assertThatThrownBy(
            () ->
                first.writePart(
                    BACKUP,
                    TABLE,
                    PART,
                    out -> {
                      Totals totals = part(out, "a");
                      try (Stream<Path> files = Files.list(place.resolve(TABLE))) {
                        Files.write(files.findAny().orElseThrow(), new byte[0]);
                      }
                      return totals;
                    }))
        .hasMessageContaining("what was written is not there");
  }

  @Test
  void aCompleteBackupHoldsNothingThatWasLeftUnfinished() throws IOException {
    Manifest.TableEntry table = new Manifest.TableEntry("t", "ROW", TABLE, "", 1, List.of(), 0);
    first.writePart(BACKUP, TABLE, PART, out -> part(out, "a"));
    Files.write(place.resolve(TABLE).resolve(PART + ".of-a-dead-one.unfinished"), new byte[3]);
    Files.write(place.resolve("plan.json.unfinished"), new byte[3]);

    first.writeBackup(new Manifest(Manifest.FORMAT, "id", TIMESTAMP, List.of(table), false));

    assertThat(names()).containsExactly(PART);
    assertThat(place.resolve("plan.json.unfinished")).doesNotExist();
    assertThat(second.backup()).isPresent();
  }

  /** A writer of the folder could have an operator's export write and delete elsewhere. */
  @ParameterizedTest
  @ValueSource(strings = {"../other", "..", ".", "", "/etc", "a/b", "t/../.."})
  void aPlanWhoseFilesLieElsewhereIsRefused(String name) throws IOException {
    Files.writeString(place.resolve("plan.json"), plan("folder", "part-00000"));
    assertThat(first.plan()).isPresent();
    for (String text : List.of(plan(name, "part-00000"), plan("folder", name))) {
      Files.writeString(place.resolve("plan.json"), text);
      assertThatThrownBy(first::plan)
          .isInstanceOf(BackupException.class)
          .hasMessageContaining("damaged");
    }
  }

  /** Returns a plan with a right checksum, which is no secret. */
  private static String plan(String folder, String file) {
    String content =
        """
        {"format":1,"id":"id","timestamp":%d,"tables":[{"name":"t","level":"ROW","folder":"%s",\
        "descriptor":"","versions":1,"parts":[{"file":"%s","start":"","stop":"","rows":0,"cells":0,\
        "bytes":0,"crc":0}]}]}"""
            .formatted(TIMESTAMP, folder, file);
    int crc = PartWriter.crc(content.getBytes(StandardCharsets.UTF_8));
    return "{\"crc\":" + crc + ",\"backup\":" + content + "}";
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(place.resolve(TABLE))) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static Totals part(OutputStream out, String row) throws IOException {
    PartWriter writer = new PartWriter(out, TIMESTAMP);
    write(writer, row);
    return writer.end();
  }

  /** Writes more than a block. */
  private static void write(PartWriter writer, String row) throws IOException {
    byte[] name = row.getBytes(StandardCharsets.UTF_8);
    byte[] value = new byte[2 * PartFormat.BLOCK_BYTES];
    writer.write(new KeyValue(name, name, name, 5, KeyValue.Type.Put, value));
  }
}
