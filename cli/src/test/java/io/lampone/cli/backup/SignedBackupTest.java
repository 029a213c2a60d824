package io.lampone.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.cli.Lampone;
import io.lampone.cli.backup.PartFormat.Totals;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.KeyValue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Detection of every change to a signed backup by a writer without the key. */
class SignedBackupTest {

  private static final long TIMESTAMP = 1_800_000_000_000_000_000L & ~255L;
  private static final String BACKUP = "id";
  private static final String TABLE = "t";
  private static final String PART = "part-00000";
  private static final String OTHER = "part-00001";
  private static final byte[] SECRET = "a secret value".getBytes(StandardCharsets.UTF_8);

  @TempDir private Path place;
  private Path keyFile;

  @BeforeEach
  void key() throws IOException {
    keyFile = keyFile("key", "0123456789abcdef0123456789abcdef");
  }

  @ParameterizedTest(name = "encrypted={0}")
  @ValueSource(booleans = {false, true})
  void aPartIsReadWithItsKeyOnly(boolean encrypted) throws IOException {
    BackupFolder folder = folder(BackupKey.read(keyFile, encrypted));
    Totals written = write(folder, PART);
    // Encryption is chosen when a part is written: its reader detects it.
    assertThat(read(folder(BackupKey.read(keyFile, false)), PART)).isEqualTo(written);
    boolean readable = new String(bytes(PART), StandardCharsets.ISO_8859_1).contains("a secret");
    assertThat(readable).isEqualTo(!encrypted);
    Path wrong = keyFile("wrong", "fedcba9876543210fedcba9876543210");
    damaged(folder(BackupKey.read(wrong, false)), PART);
  }

  @ParameterizedTest(name = "encrypted={0}")
  @ValueSource(booleans = {false, true})
  void noByteOfAPartCanBeChanged(boolean encrypted) throws IOException {
    BackupFolder folder = folder(BackupKey.read(keyFile, encrypted));
    write(folder, PART);
    byte[] original = bytes(PART);
    for (int at = 0; at < original.length; at += 1 + original.length / 97) {
      byte[] changed = original.clone();
      changed[at] ^= 1;
      Files.write(path(PART), changed);
      damaged(folder, PART);
    }
    for (int length :
        new int[] {0, SealedFormat.HEAD_BYTES, original.length / 2, original.length - 20}) {
      Files.write(path(PART), Arrays.copyOf(original, length));
      damaged(folder, PART);
    }
    Files.write(path(PART), Arrays.copyOf(original, original.length + 1));
    damaged(folder, PART);
    Files.write(path(PART), original);
    read(folder, PART);
  }

  @Test
  void aPartOfAnEncryptedBackupMustBeEncrypted() throws IOException {
    Manifest manifest = new Manifest(Manifest.FORMAT, BACKUP, TIMESTAMP, List.of(), true);
    BackupFolder signing = folder(BackupKey.read(keyFile, false));
    write(signing, PART);
    assertThatThrownBy(() -> read(signing.of(manifest), PART))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("it is not encrypted, and its backup is");
    // Whatever the options of the command that continues it.
    Totals written = write(signing.of(manifest), OTHER);
    assertThat(read(signing.of(manifest), OTHER)).isEqualTo(written);
    assertThat(new String(bytes(OTHER), StandardCharsets.ISO_8859_1)).doesNotContain("a secret");
  }

  /** Pieces that are authentic, but of another place. */
  @Test
  void piecesAndPartsCannotChangePlaces() throws IOException {
    BackupFolder folder = folder(BackupKey.read(keyFile, false));
    write(folder, PART);
    byte[] part = bytes(PART);
    int piece = 4 + SealedFormat.PIECE_BYTES + SealedFormat.TAG_BYTES;
    byte[] swapped = part.clone();
    System.arraycopy(
        part, SealedFormat.HEAD_BYTES, swapped, SealedFormat.HEAD_BYTES + piece, piece);
    System.arraycopy(
        part, SealedFormat.HEAD_BYTES + piece, swapped, SealedFormat.HEAD_BYTES, piece);
    Files.write(path(PART), swapped);
    damaged(folder, PART);
    Files.write(path(OTHER), part);
    damaged(folder, OTHER);
    Files.write(path(PART), part);
    assertThatThrownBy(() -> folder.readPart("other id", TABLE, PART, TIMESTAMP, cell -> {}))
        .isInstanceOf(BackupException.class);
  }

  @Test
  void anUnsignedPartIsNotTakenForASignedOne() throws IOException {
    write(BackupFolder.of(place.toString(), new Configuration(), Optional.empty()), PART);
    damaged(folder(BackupKey.read(keyFile, false)), PART);
  }

  @Test
  void aManifestMustBeSignedWithTheKey() throws IOException {
    BackupFolder signed = folder(BackupKey.read(keyFile, false));
    BackupFolder unsigned =
        BackupFolder.of(place.toString(), new Configuration(), Optional.empty());
    Manifest manifest = new Manifest(Manifest.FORMAT, BACKUP, TIMESTAMP, List.of(), false);
    signed.writePlan(manifest);
    assertThat(signed.plan()).contains(manifest);
    assertThatThrownBy(unsigned::plan).hasMessageContaining("the backup is signed");
    // A plan is no complete backup, though the same key has signed it.
    Files.copy(place.resolve("plan.json"), place.resolve("backup.json"));
    assertThatThrownBy(signed::backup).hasMessageContaining("the signature is wrong");
    Files.delete(place.resolve("backup.json"));
    unsigned.writeBackup(manifest);
    assertThatThrownBy(signed::backup).hasMessageContaining("the backup is not signed");
  }

  /** Signed with the same key; the operator knows the id of the right backup. */
  @Test
  void anOlderBackupIsRefusedWhereAnotherIsExpected() throws IOException {
    folder(BackupKey.read(keyFile, false))
        .writeBackup(new Manifest(Manifest.FORMAT, "older", TIMESTAMP, List.of(), false));
    StringWriter said = new StringWriter();
    PrintWriter console = new PrintWriter(said, true);
    CommandLine command = Lampone.commandLine().setOut(console).setErr(console);
    String[] verify = {
      "restore", "--verify-only", "--key-file=" + keyFile, "--expect=older", place.toString()
    };
    assertThat(command.execute(verify)).as(said.toString()).isZero();
    assertThat(said.toString()).startsWith("Verified the snapshot ").contains(", id older\n");
    verify[3] = "--expect=newer";
    assertThat(command.execute(verify)).isEqualTo(1);
    assertThat(said.toString()).contains("id=older expected=newer");
  }

  @Test
  void aKeyMustBePrivateAndLong() throws IOException {
    Path open = Files.writeString(place.resolve("open"), "0123456789abcdef0123456789abcdef");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> BackupKey.read(open, false)).hasMessageContaining("others may read");
    Path brief = keyFile("brief", "too short");
    assertThatThrownBy(() -> BackupKey.read(brief, false)).hasMessageContaining("key too short");
    assertThatThrownBy(() -> BackupKey.read(place.resolve("absent"), false))
        .hasMessageContaining("no readable file");
  }

  private BackupFolder folder(BackupKey key) throws IOException {
    return BackupFolder.of(place.toString(), new Configuration(), Optional.of(key));
  }

  /** Writes two full pieces and a part of a third. */
  private static Totals write(BackupFolder folder, String part) throws IOException {
    return folder.writePart(
        BACKUP,
        TABLE,
        part,
        out -> {
          PartWriter writer = new PartWriter(out, TIMESTAMP);
          byte[] name = {'r'};
          byte[] large = new byte[2 * SealedFormat.PIECE_BYTES];
          writer.write(new KeyValue(name, name, name, 6, KeyValue.Type.Put, SECRET));
          writer.write(new KeyValue(name, name, name, 5, KeyValue.Type.Put, large));
          return writer.end();
        });
  }

  private static Totals read(BackupFolder folder, String part) throws IOException {
    return folder.readPart(BACKUP, TABLE, part, TIMESTAMP, cell -> {});
  }

  private static void damaged(BackupFolder folder, String part) {
    assertThatThrownBy(() -> read(folder, part))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("damaged");
  }

  private Path path(String part) {
    return place.resolve(TABLE).resolve(part);
  }

  private byte[] bytes(String part) throws IOException {
    return Files.readAllBytes(path(part));
  }

  private Path keyFile(String name, String content) throws IOException {
    Path file = place.resolve(name);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.writeString(file, content);
  }
}
