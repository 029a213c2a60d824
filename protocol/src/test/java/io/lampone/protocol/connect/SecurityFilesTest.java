package io.lampone.protocol.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.trust.ClusterKey;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.TermKeys;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecurityFilesTest {

  private static final long START = 0x1900000000000100L;

  @TempDir private Path folder;

  @Test
  void aClusterKeyThatWasMade_isReadByAll_andOnlyItsOwnerMayReadIt() throws IOException {
    Path file = folder.resolve("cluster.key");
    SecurityFiles.createClusterKey(file);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(Files.readString(file)).matches("[0-9a-f]{64}\n");
    Grant grant = new Proofs(SecurityFiles.clusterKey(file)).grant(START, 0);
    assertThat(new Proofs(SecurityFiles.clusterKey(file)).verify(grant))
        .isEqualTo(Proofs.Verdict.VALID);
    assertThat(Proofs.OPEN.verify(grant)).isEqualTo(Proofs.Verdict.FORGED);
    Path other = folder.resolve("other.key");
    SecurityFiles.createClusterKey(other);
    assertThat(new Proofs(SecurityFiles.clusterKey(other)).verify(grant))
        .isEqualTo(Proofs.Verdict.FORGED);
  }

  @Test
  void aClusterKeyThatIsThere_isNotReplaced() throws IOException {
    Path file = written("0".repeat(64), "rw-------");
    assertThatThrownBy(() -> SecurityFiles.createClusterKey(file))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(Files.readString(file)).isEqualTo("0".repeat(64));
  }

  @Test
  void aRotatedKey_countsFromItsTerm_andTheOldOneBefore() throws IOException {
    Path file = folder.resolve("rotated.key");
    SecurityFiles.createClusterKey(file);
    Proofs old = new Proofs(SecurityFiles.clusterKey(file));
    int term = TermKeys.termOf(START) + 1;
    long later = (long) term << 46;

    SecurityFiles.addClusterKey(file, term);

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    Proofs rotated = new Proofs(SecurityFiles.clusterKey(file));
    assertThat(rotated.verify(old.grant(later - 256, 0))).isEqualTo(Proofs.Verdict.VALID);
    assertThat(rotated.verify(old.grant(later, 0))).isEqualTo(Proofs.Verdict.FORGED);
    assertThat(rotated.verify(rotated.grant(later + 256, 0))).isEqualTo(Proofs.Verdict.VALID);
    assertThatThrownBy(() -> SecurityFiles.addClusterKey(file, term))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("later term");
    assertThat(Files.readAllLines(file)).hasSize(2);
  }

  /** Else the link would become a file, and the file that others read would keep the old keys. */
  @Test
  void aKeyThatIsAddedThroughALink_isInTheFileItself() throws IOException {
    Path file = folder.resolve("itself.key");
    SecurityFiles.createClusterKey(file);
    Path link = Files.createSymbolicLink(folder.resolve("link.key"), file);

    SecurityFiles.addClusterKey(link, TermKeys.termOf(START) + 1);

    assertThat(Files.isSymbolicLink(link)).isTrue();
    assertThat(Files.readAllLines(file)).hasSize(2);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  /** Else the new file would belong to the one who runs the command, and be unreadable. */
  @Test
  void aKeyOfAnotherUser_isNotRotated() throws IOException {
    Path file = folder.resolve("owned.key");
    SecurityFiles.createClusterKey(file);
    UserPrincipal owner = Files.getOwner(file);
    SecurityFiles.requireOwned(file, owner);
    assertThatThrownBy(() -> SecurityFiles.requireOwned(file, () -> "other"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("run it as " + owner.getName())
        .hasMessageContaining(file.toString());
  }

  @Test
  void aKeyThatCountsFromATerm_isUnknownBefore() throws IOException {
    Path file = written(TermKeys.termOf(START) + " " + "0".repeat(64) + "\n", "rw-------");
    Proofs proofs = new Proofs(SecurityFiles.clusterKey(file));
    assertThat(proofs.verify(Proofs.OPEN.grant(START, 0))).isEqualTo(Proofs.Verdict.VALID);
    assertThat(proofs.verify(Proofs.OPEN.grant(START - (1L << 47), 0)))
        .isEqualTo(Proofs.Verdict.UNKNOWN_TERM);
  }

  @Test
  void hexadecimalDigitsAndBase64_areTheSameKey() throws IOException {
    byte[] key = new byte[ClusterKey.BYTES];
    key[0] = 7;
    Path hexadecimal = written(HexFormat.of().formatHex(key) + "\n", "rw-------");
    Path base64 = written(Base64.getEncoder().encodeToString(key), "r--------");
    Grant grant = new Proofs(SecurityFiles.clusterKey(hexadecimal)).grant(START, 0);
    assertThat(new Proofs(SecurityFiles.clusterKey(base64)).verify(grant))
        .isEqualTo(Proofs.Verdict.VALID);
  }

  /** The message names the file and what to do, and shows nothing of what the file holds. */
  @Test
  void whatIsNoClusterKey_isRefused_andNotShown() throws IOException {
    for (String text :
        new String[] {
          "",
          "secret",
          "zz".repeat(32),
          "00".repeat(31),
          "not base 64",
          "x " + "00".repeat(32),
          "-1 " + "00".repeat(32),
          "00".repeat(32) + "\n" + "00".repeat(32)
        }) {
      Path file = written(text, "rw-------");
      assertThatThrownBy(() -> SecurityFiles.clusterKey(file))
          .as("%s", text)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("lampone tm keys")
          .hasMessageContaining(file.toString())
          .hasNoCause();
    }
    String almost = "7".repeat(63);
    Path file = written(almost, "rw-------");
    assertThatThrownBy(() -> SecurityFiles.clusterKey(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining(almost.substring(32));
  }

  @Test
  void aFileThatOthersMayReadOrChange_isRefused() throws IOException {
    for (String permissions : new String[] {"rw-r-----", "rw--w----", "rw----r--", "rw-----w-"}) {
      Path file = written("0".repeat(64), permissions);
      assertThatThrownBy(() -> SecurityFiles.clusterKey(file))
          .as(permissions)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("chmod go-rwx");
    }
    Path missing = folder.resolve("missing");
    assertThatThrownBy(() -> SecurityFiles.clusterKey(missing))
        .hasMessageContaining("no readable file")
        .hasMessageContaining(missing.toString());
  }

  private Path written(String text, String permissions) throws IOException {
    Path file = Files.createTempFile(folder, "key", "");
    Files.writeString(file, text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }
}
