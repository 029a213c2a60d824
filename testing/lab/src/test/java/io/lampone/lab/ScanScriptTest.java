package io.lampone.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests {@code .ci/scan} in a tree that is built already: its class path is that of this test, and
 * its {@code bin/lampone} builds nothing.
 */
class ScanScriptTest {

  private static final Path TREE = Path.of("../..");
  private static final String LIBRARY = "com.fasterxml.jackson.core:jackson-databind";

  @TempDir private Path tree;

  @BeforeEach
  void writeTree() throws IOException {
    copy(".ci/scan");
    copy(".ci/accepted-vulnerabilities");
    lampone("exit 0");
    Path lab = folder("testing/lab/target");
    new JarOutputStream(Files.newOutputStream(lab.resolve("lampone-lab-1.jar")), new Manifest())
        .close();
    String classPath = System.getProperty("java.class.path");
    Files.writeString(lab.resolve("run.classpath"), classPath);
    Files.writeString(folder("phoenix/sql/target").resolve("run.classpath"), classPath);
  }

  @Test
  void aVulnerableLibraryOfTheClassPath_isFound_unlessItIsAccepted() throws Exception {
    String version = version();
    Path dump = dump(version);
    ScriptRun found = run(dump.toString());
    assertThat(found.output())
        .contains("found: GHSA-1 " + LIBRARY + " " + version, "vulnerabilities=1 found=1");
    assertThat(found.exitCode()).isEqualTo(1);
    assertThat(libraries(found.output())).isGreaterThan(50);

    Files.writeString(
        tree.resolve(".ci/accepted-vulnerabilities"), "GHSA-1 " + LIBRARY + " not called\n");
    ScriptRun accepted = run(dump.toString());
    assertThat(accepted.output()).contains("accepted: GHSA-1", "(not called)", "found=0");
    assertThat(accepted.exitCode()).isZero();
  }

  @Test
  void aVersionThatIsNotUsed_isNotFound() throws Exception {
    ScriptRun outcome = run(dump("0.0.1").toString());
    assertThat(outcome.output()).contains("vulnerabilities=1 found=0");
    assertThat(outcome.exitCode()).isZero();
  }

  @Test
  void withoutADump_nothingIsScanned() throws Exception {
    ScriptRun outcome = run();
    assertThat(outcome.output()).startsWith("not scanned: ");
    assertThat(outcome.exitCode()).isZero();
  }

  /** Exit code 1 would be a vulnerability. */
  @Test
  void anAbsentFile_aFileThatIsNoDump_andAFailedBuild_endWith2() throws Exception {
    for (String absent : List.of("absent", "absent/absent", ".")) {
      ScriptRun outcome = run(tree.resolve(absent).toString());
      assertThat(outcome.output()).contains("cannot scan: no such file");
      assertThat(outcome.exitCode()).as(absent).isEqualTo(2);
    }
    ScriptRun noDump = run(Files.writeString(tree.resolve("no.json"), "[]").toString());
    assertThat(noDump.output()).contains("cannot scan: no OSV record");
    assertThat(noDump.exitCode()).isEqualTo(2);
    lampone("exit 1");
    ScriptRun notBuilt = run(dump("1").toString());
    assertThat(notBuilt.output()).contains("cannot scan: the build failed");
    assertThat(notBuilt.exitCode()).isEqualTo(2);
  }

  /** The version of the library on this class path. */
  private static String version() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(jar -> jar.contains("/jackson-databind/"))
        .map(jar -> Path.of(jar).getParent().getFileName().toString())
        .findFirst()
        .orElseThrow();
  }

  private static int libraries(String output) {
    return Integer.parseInt(output.replaceAll("(?s).*libraries=(\\d+).*", "$1"));
  }

  private Path dump(String version) throws IOException {
    String dump =
        """
        {"id": "GHSA-1", "affected": [
          {"package": {"ecosystem": "Maven", "name": "%s"}, "versions": ["%s"]}]}
        """;
    return Files.writeString(tree.resolve("dump.json"), dump.formatted(LIBRARY, version));
  }

  private void lampone(String text) throws IOException {
    Path script = folder("bin").resolve("lampone");
    Files.writeString(script, "#!/bin/sh\n" + text + "\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
  }

  private void copy(String file) throws IOException {
    Files.createDirectories(tree.resolve(file).getParent());
    Files.copy(TREE.resolve(file), tree.resolve(file));
  }

  private Path folder(String name) throws IOException {
    return Files.createDirectories(tree.resolve(name));
  }

  private ScriptRun run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(tree.resolve(".ci/scan").toString()));
    command.addAll(List.of(arguments));
    return ScriptRun.of(Map.of(), command);
  }
}
