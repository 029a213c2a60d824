package io.lampone.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code distribution/release} with a throwaway key, in a clone with all POMs and the sources of
 * one package: parent, BOM and {@code lampone-protocol} are built and signed.
 */
class SignedReleaseIT {

  private static final Path TREE = Path.of("../..");
  private static final String PASSPHRASE = "hush-7391-hush";
  private static final String PACKAGE = "protocol/src/main/java/io/lampone/protocol/time";

  @TempDir private Path folder;

  @Test
  void eachFileIsSigned_byTheKeyAlone_andTheKeyIsNotPrinted() throws Exception {
    Path clone = writeClone();
    PgpKey key = new PgpKey(PASSPHRASE);
    PgpKey foreign = new PgpKey(PASSPHRASE);

    Path refused = folder.resolve("refused");
    ScriptRun wrong = release(clone, refused, key, "not the passphrase", ":lampone-bom");
    assertThat(wrong.exitCode()).as(wrong.output()).isEqualTo(1);
    assertThat(wrong.output()).contains("nothing is left in " + refused);
    assertThat(refused).isEmptyDirectory();

    Path staging = folder.resolve("staging");
    ScriptRun run =
        release(clone, staging, key, PASSPHRASE, ":lampone,:lampone-bom,:lampone-protocol");
    assertThat(run.exitCode()).as(run.output()).isZero();
    List<Path> files = artifacts(staging);
    assertThat(files.stream().map(file -> file.getFileName().toString()))
        .containsExactlyInAnyOrder(
            "lampone-0.1.0.pom",
            "lampone-bom-0.1.0.pom",
            "lampone-protocol-0.1.0.pom",
            "lampone-protocol-0.1.0.jar",
            "lampone-protocol-0.1.0-sources.jar",
            "lampone-protocol-0.1.0-javadoc.jar");
    for (Path file : files) {
      byte[] content = Files.readAllBytes(file);
      byte[] signature = Files.readAllBytes(Path.of(file + ".asc"));
      assertThat(key.verifies(content, signature)).as("%s", file).isTrue();
      assertThat(foreign.verifies(content, signature)).as("foreign key, %s", file).isFalse();
      content[content.length / 2] ^= 1;
      assertThat(key.verifies(content, signature)).as("altered %s", file).isFalse();
    }
    for (String output : List.of(wrong.output(), run.output())) {
      assertThat(output).doesNotContain(PASSPHRASE, "not the passphrase");
      assertThat(key.armored().lines().filter(line -> line.length() > 30))
          .hasSizeGreaterThan(10)
          .noneMatch(output::contains);
    }
  }

  private ScriptRun release(Path clone, Path staging, PgpKey key, String passphrase, String modules)
      throws Exception {
    Map<String, String> environment =
        Map.of(
            "MAVEN_GPG_KEY",
            key.armored(),
            "MAVEN_GPG_PASSPHRASE",
            passphrase,
            // Lives for seconds.
            "MAVEN_OPTS",
            "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    return ScriptRun.of(
        environment,
        List.of(
            clone.resolve("distribution/release").toString(),
            staging.toString(),
            "--only",
            modules));
  }

  private static List<Path> artifacts(Path staging) throws IOException {
    try (Stream<Path> files = Files.walk(staging)) {
      return files.filter(file -> file.toString().matches(".*\\.(jar|pom)")).toList();
    }
  }

  /** A clean clone in which the version is that of a release. */
  private Path writeClone() throws Exception {
    Path clone = Files.createDirectory(folder.resolve("clone"));
    ScriptRun listed = ScriptRun.of(Map.of(), List.of("git", "-C", TREE.toString(), "ls-files"));
    for (String name : listed.output().lines().toList()) {
      boolean isWanted =
          name.startsWith(PACKAGE)
              || name.endsWith("pom.xml")
              || name.startsWith(".mvn/")
              || List.of("mvnw", ".gitignore", "distribution/release").contains(name);
      Path file = TREE.resolve(name);
      if (!isWanted || !Files.exists(file)) {
        continue;
      }
      Path copy = clone.resolve(name);
      Files.createDirectories(copy.getParent());
      if (name.endsWith("pom.xml")) {
        String text = Files.readString(file).replace("-SNAPSHOT", "");
        Files.writeString(copy, text.replace("example.org", "repository.invalid"));
      } else {
        Files.copy(file, copy);
      }
    }
    ScriptRun.commitAll(clone);
    return clone;
  }
}
