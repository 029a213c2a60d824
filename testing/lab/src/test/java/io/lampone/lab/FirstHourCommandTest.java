package io.lampone.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class FirstHourCommandTest {

  private static final Path TREE = Path.of("../..");

  /** The BOM has no parent, so it repeats versions of the build. */
  @Test
  void versionsOfTheBom_areThoseOfTheBuild() throws IOException {
    String build = Files.readString(TREE.resolve("pom.xml"));
    Map<String, String> bom =
        Pattern.compile(
                "<groupId>(\\S+)</groupId>\\s*<artifactId>\\S+</artifactId>\\s*"
                    + "<version>(\\S+)</version>")
            .matcher(
                Files.readString(TREE.resolve("distribution/bom/pom.xml")).split("<profiles>")[0])
            .results()
            .collect(
                Collectors.toMap(
                    found -> found.group(1), found -> found.group(2), FirstHourCommandTest::one));
    assertThat(bom)
        .containsOnly(
            Map.entry("io.lampone", first(build, "<version>(\\S+)</version>")),
            Map.entry("io.netty", property(build, "netty")),
            Map.entry("com.fasterxml.jackson", property(build, "jackson")),
            Map.entry("org.apache.curator", property(build, "curator")),
            Map.entry("org.apache.zookeeper", property(build, "zookeeper")));
  }

  @Test
  void versionsOfHBaseThatAreRun_areInTheReadme() throws IOException {
    String readme = Files.readString(TREE.resolve("README.md"));
    assertThat(FirstHourCommand.HBASE_VERSIONS)
        .allSatisfy(version -> assertThat(readme).contains(version.replace("-hadoop3", "")))
        .contains(first(Files.readString(TREE.resolve(".ci/hbase-2.5")), "readonly HBASE=(\\S+)"));
  }

  /** A class file version is 44 above its Java. */
  @Test
  void versionsOfJavaThatAreBuiltFor_areInTheReadme() throws IOException {
    String build = Files.readString(TREE.resolve("pom.xml"));
    int translated = Integer.parseInt(first(build, "--classVersion (\\d+) ")) - 44;
    assertThat(Files.readString(TREE.resolve("README.md")))
        .contains("| Java | " + first(build, "<maven.compiler.release>(\\d+)<") + ": all tests")
        .contains(translated + ", for applications and region servers")
        .contains("classifier `jdk" + translated + "`");
  }

  private static String one(String version, String other) {
    assertThat(other).isEqualTo(version);
    return version;
  }

  private static String property(String build, String name) {
    return first(build, "<" + name + "\\.version>(\\S+)</");
  }

  private static String first(String text, String pattern) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult found) -> found.group(1))
        .findFirst()
        .orElseThrow();
  }
}
