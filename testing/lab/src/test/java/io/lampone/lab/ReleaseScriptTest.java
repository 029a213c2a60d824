package io.lampone.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code distribution/release} and {@code reproduce} with a {@code mvnw} that copies the folder
 * {@code built} instead of building: the artifacts of the BOM with their POMs, and jars of one
 * line. With real builds and keys: {@link SignedReleaseIT}.
 */
class ReleaseScriptTest {

  private static final Path TREE = Path.of("../..");
  private static final String KEY = "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nc2VjcmV0\n";
  private static final String MAVEN =
      """
      #!/usr/bin/env bash
      printf '%s\\n' "$*" >>"$TEST_FOLDER/calls"
      for option; do
        if [[ $option == -DaltDeploymentRepository=* ]]; then
          cp -r "$TEST_FOLDER/built/." "${option#*file://}"
          [[ -z ${TEST_CHANGE:-} ]] || pwd >"${option#*file://}/io/$TEST_CHANGE"
        fi
      done
      exit "$(cat "$TEST_FOLDER/exit-code")"
      """;

  @TempDir private Path folder;

  private final Map<String, String> environment = new HashMap<>();
  private Path clone;
  private Path staging;

  @BeforeEach
  void writeTree() throws Exception {
    clone = Files.createDirectory(folder.resolve("clone"));
    staging = folder.resolve("staging");
    environment.put("TEST_FOLDER", folder.toString());
    write(folder.resolve("exit-code"), "0");
    write(clone.resolve("mvnw"), MAVEN);
    assertThat(clone.resolve("mvnw").toFile().setExecutable(true)).isTrue();
    Files.createDirectories(clone.resolve("distribution/bom"));
    for (String script : List.of("distribution/release", "distribution/reproduce")) {
      Files.copy(TREE.resolve(script), clone.resolve(script));
    }
    for (String pom : List.of("pom.xml", "distribution/bom/pom.xml")) {
      write(clone.resolve(pom), ready(TREE.resolve(pom)));
    }
    build();
    ScriptRun.commitAll(clone);
  }

  @Test
  void thePomsOfAllArtifactsOfTheBom_areComplete() throws Exception {
    ScriptRun run = release("--unsigned", "--no-tarballs");
    assertThat(run.output()).contains("released into");
    assertThat(run.exitCode()).isZero();
    try (Stream<Path> files = Files.walk(staging)) {
      assertThat(files.filter(file -> file.toString().endsWith(".pom")))
          .hasSizeGreaterThanOrEqualTo(12);
    }
  }

  @Test
  void anArtifactThatLacksSomething_isNotReleased() throws Exception {
    Path client = folder.resolve("built/io/lampone/lampone-client/0.1.0/lampone-client-0.1.0.pom");
    String pom = Files.readString(client);
    for (String suffix : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
      Path jar = client.resolveSibling("lampone-client-0.1.0" + suffix);
      Files.delete(jar);
      requireMissing("lampone-client-0.1.0" + suffix);
      write(jar, "jar");
    }
    String translated = "lampone-client-shaded-0.1.0-jdk11.jar";
    Path shaded = folder.resolve("built/io/lampone/lampone-client-shaded/0.1.0/" + translated);
    Files.delete(shaded);
    requireMissing(translated);
    write(shaded, "jar");
    for (String element : List.of("name", "description")) {
      write(client, pom.replaceAll(" <" + element + ">.*?</" + element + ">", ""));
      requireMissing("<" + element + "> of ");
      write(client, pom.replaceAll("<" + element + ">.*?<", "<" + element + "><"));
      requireMissing("<" + element + "> of ");
    }
    write(client, pom);
    Path parent = folder.resolve("built/io/lampone/lampone/0.1.0/lampone-0.1.0.pom");
    String parentPom = Files.readString(parent);
    for (String element : List.of("url", "licenses", "developers", "scm")) {
      write(
          parent,
          Pattern.compile("\n  <" + element + "[ >].*?</" + element + ">", Pattern.DOTALL)
              .matcher(parentPom)
              .replaceFirst(""));
      requireMissing("<" + element + "> of ");
    }
    write(parent, parentPom);
    assertThat(release("--unsigned").exitCode()).as("tarballs").isEqualTo(1);
    assertThat(release("--unsigned", "--no-tarballs").exitCode()).isZero();
  }

  @Test
  void anArtifactWithoutSignature_isNotReleased() throws Exception {
    environment.put("MAVEN_GPG_KEY", KEY);
    ScriptRun run = release("--no-tarballs");
    assertThat(run.output()).contains("missing: ", "lampone-client-0.1.0.jar.asc");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(Files.readString(folder.resolve("calls"))).contains("-P release,sign ");
    try (Stream<Path> files = Files.walk(folder.resolve("built"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        write(Path.of(file + ".asc"), "signature");
      }
    }
    assertThat(release("--no-tarballs").exitCode()).isZero();
  }

  @Test
  void aLinkToAnEmptyFolder_isFollowed() throws Exception {
    Path target = Files.createDirectory(folder.resolve("target of the link"));
    Files.createSymbolicLink(staging, target);
    ScriptRun run = release("--unsigned", "--no-tarballs");
    assertThat(run.exitCode()).as(run.output()).isZero();
    assertThat(target).isNotEmptyDirectory();
  }

  @Test
  void aFailedBuild_leavesAnEmptyFolder() throws Exception {
    write(folder.resolve("exit-code"), "1");
    ScriptRun run = release("--unsigned", "--only", ":lampone");
    assertThat(run.output()).contains("failed; nothing is left in " + staging);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(staging).isEmptyDirectory();
    assertThat(Files.readString(folder.resolve("calls"))).contains("-pl :lampone -am deploy");
  }

  @Test
  void aSignedRelease_needsAKey_aVersionOfARelease_andACleanClone() throws Exception {
    requireRefused("set MAVEN_GPG_KEY to an armored secret key");
    environment.put("MAVEN_GPG_KEY", "hush");
    assertThat(requireRefused("MAVEN_GPG_KEY is not an armored secret key")).doesNotContain("hush");
    environment.put("MAVEN_GPG_KEY", KEY);
    Path bom = clone.resolve("distribution/bom/pom.xml");
    String pom = Files.readString(bom);
    write(bom, pom.replace("0.1.0<", "0.1.0-SNAPSHOT<"));
    requireRefused("a version without SNAPSHOT");
    write(bom, pom.replace("repository.invalid", "example.org"));
    requireRefused("a public address");
    write(bom, pom + "\n");
    requireRefused("not committed:  M distribution/bom/pom.xml");
    write(bom, pom);
    write(clone.resolve("new"), "");
    requireRefused("not committed: ?? new");
    Files.delete(clone.resolve("new"));
    Path build = clone.resolve("pom.xml");
    Set<PosixFilePermission> modes = Files.getPosixFilePermissions(build);
    Files.setPosixFilePermissions(build, PosixFilePermissions.fromString("rw-r-----"));
    requireRefused("a clone that was made with umask 022");
    Files.setPosixFilePermissions(build, modes);
    Files.move(clone.resolve(".git"), folder.resolve("git"));
    requireRefused("needs a clone");
    assertThat(folder.resolve("calls")).doesNotExist();
  }

  @Test
  void wrongOptionsAndFolders_areRefused_andHelpIsPrinted() throws Exception {
    requireRefused("unknown option: --sign", "--sign");
    requireRefused("--only needs a list of modules", "--only");
    requireRefused("more than one folder", "other");
    Path script = clone.resolve("distribution/release");
    ScriptRun none = ScriptRun.of(environment, List.of(script.toString()));
    assertThat(none.output()).contains("no staging folder was given");
    assertThat(none.exitCode()).isEqualTo(2);
    ScriptRun help = ScriptRun.of(environment, List.of(script.toString(), "--help"));
    assertThat(help.output())
        .contains("--unsigned", "--no-tarballs", "--only MODULES", "MAVEN_GPG_PASSPHRASE")
        .contains("Exit codes: 0 released")
        .doesNotContain("set -euo");
    assertThat(help.exitCode()).isZero();
    write(staging, "");
    requireRefused("not a folder: ", "--unsigned");
    Files.delete(staging);
    Path file = Files.createDirectory(staging).resolve("file");
    write(file, "");
    requireRefused("the folder is not empty: ", "--unsigned");
    assertThat(file).exists();
    assertThat(folder.resolve("calls")).doesNotExist();
  }

  @Test
  void buildsAreCompared_whateverTheirSignaturesAndMetadata() throws Exception {
    ScriptRun equal = reproduce("--only", ":lampone");
    assertThat(equal.output()).containsPattern("files=[1-9]\\d+ different=0\n$");
    assertThat(equal.exitCode()).isZero();
    environment.put("TEST_CHANGE", "maven-metadata.xml");
    assertThat(reproduce("--only", ":lampone").exitCode()).isZero();
    environment.put("TEST_CHANGE", "changed.jar");
    ScriptRun different = reproduce("--only", ":lampone");
    assertThat(different.output())
        .contains("different: ./io/changed.jar")
        .containsPattern("files=[1-9]\\d+ different=1\n$");
    assertThat(different.exitCode()).isEqualTo(1);

    environment.remove("TEST_CHANGE");
    assertThat(release("--unsigned", "--only", ":lampone").exitCode()).isZero();
    write(staging.resolve("io/lampone/lampone/0.1.0/lampone-0.1.0.pom.asc"), "signature");
    String[] against = {"--only", ":lampone", "--against", staging.toString()};
    assertThat(reproduce(against).exitCode()).isZero();
    write(staging.resolve("io/foreign.jar"), "jar");
    assertThat(reproduce(against).output()).contains("different: ./io/foreign.jar");
    write(folder.resolve("exit-code"), "1");
    assertThat(reproduce(against).exitCode()).isEqualTo(2);
    assertThat(reproduce("--fast").exitCode()).isEqualTo(2);
  }

  /** Artifacts of the BOM, the BOM, and the parent. */
  private void build() throws IOException {
    String bom = Files.readString(TREE.resolve("distribution/bom/pom.xml"));
    List<String> names = new ArrayList<>(List.of("lampone", "lampone-bom"));
    Pattern.compile("<artifactId>(lampone-[^<]*)</artifactId>\\s*<version>0.1.0-SNAPSHOT<")
        .matcher(bom.substring(bom.indexOf("<dependencyManagement>")))
        .results()
        .forEach(found -> names.add(found.group(1)));
    for (Path pom : poms()) {
      String text = ready(pom);
      String name = text.replaceAll("(?s)<parent>.*?</parent>", "");
      name = name.replaceAll("(?s).*?<artifactId>(.*?)</artifactId>.*", "$1");
      if (!names.remove(name)) {
        continue;
      }
      Path target = Files.createDirectories(folder.resolve("built/io/lampone/" + name + "/0.1.0"));
      write(target.resolve(name + "-0.1.0.pom"), text);
      if (!text.contains("<packaging>pom</packaging>")) {
        for (String suffix : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
          write(target.resolve(name + "-0.1.0" + suffix), "jar");
        }
        if (name.equals("lampone-client-shaded")) {
          write(target.resolve(name + "-0.1.0-jdk11.jar"), "jar");
        }
      }
    }
    assertThat(names).isEmpty();
  }

  private static List<Path> poms() throws IOException {
    try (Stream<Path> files = Files.find(TREE, 3, (file, is) -> file.endsWith("pom.xml"))) {
      return files.toList();
    }
  }

  /** The text of a POM as it is set before a release. */
  private static String ready(Path pom) throws IOException {
    return Files.readString(pom)
        .replace("0.1.0-SNAPSHOT", "0.1.0")
        .replace("example.org", "repository.invalid");
  }

  private void requireMissing(String what) throws IOException, InterruptedException {
    ScriptRun run = release("--unsigned", "--no-tarballs");
    assertThat(run.output()).contains("missing: ").contains(what);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(staging).isEmptyDirectory();
  }

  private String requireRefused(String why, String... options)
      throws IOException, InterruptedException {
    ScriptRun run = release(options);
    assertThat(run.output()).contains(why);
    assertThat(run.exitCode()).isEqualTo(2);
    return run.output();
  }

  private ScriptRun release(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(clone.resolve("distribution/release").toString());
    command.add(staging.toString());
    command.addAll(List.of(options));
    return ScriptRun.of(environment, command);
  }

  private ScriptRun reproduce(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(clone.resolve("distribution/reproduce").toString());
    command.addAll(List.of(options));
    return ScriptRun.of(environment, command);
  }

  private static void write(Path file, String text) throws IOException {
    Files.writeString(file, text);
  }
}
