package io.lampone.dist;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is in the tarball, and what must not be. */
class ContentsIT {

  /** Jars that only tests, comparisons and the lab need begin like this. */
  private static final List<String> STRANGERS =
      List.of(
          "lampone-benchmarks",
          "lampone-checker",
          "lampone-cluster",
          "lampone-faultlab",
          "lampone-lab",
          "lampone-simulation",
          "lampone-phoenix",
          "lampone-sql",
          "phoenix-",
          "sqlline",
          "omid-",
          "junit-",
          "assertj-",
          "awaitility-",
          "archunit",
          "jmh-",
          "jqwik",
          "jcstress",
          "byteman",
          "curator-test",
          "lombok",
          "reload4j",
          "log4j-1");

  @TempDir private static Path folder;

  private static Path home;

  @BeforeAll
  static void unpack() throws Exception {
    home =
        Installation.unpack(System.getProperty("lampone.distribution"), folder.resolve("unpacked"))
            .home();
  }

  @Test
  void noJarIsThereThatOnlyTestsOrComparisonsNeed() throws IOException {
    for (String jar : jars()) {
      assertThat(STRANGERS).as(jar).noneMatch(jar::startsWith);
      assertThat(jar).doesNotContain("-tests").doesNotContain("-sources");
    }
    // The adapter for Omid, and everything else among the tests of a module.
    for (String own : jars().stream().filter(jar -> jar.startsWith("lampone-")).toList()) {
      assertThat(entries(home.resolve("lib").resolve(own)))
          .as(own)
          .noneMatch(entry -> entry.contains("/omid/"))
          .noneMatch(entry -> entry.matches("io/lampone/(faultlab|simulation|benchmarks)/.*"))
          .noneMatch(entry -> entry.matches(".*(Test|IT|Stress|Benchmark)\\.class"));
    }
  }

  @Test
  void theClassPathIsWhatLiesThereAndSoIsTheListOfParts() throws IOException {
    Set<String> listed =
        Stream.of(Files.readString(home.resolve("lib/run.classpath")).strip().split(":"))
            .map(jar -> jar.replace("lib/", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> jars = jars();
    assertThat(listed).isEqualTo(jars);
    Set<String> parts = new TreeSet<>();
    JsonNode components =
        new ObjectMapper().readTree(home.resolve("lampone-sbom.json").toFile()).get("components");
    for (JsonNode component : components) {
      parts.add(component.get("name").asText() + "-" + component.get("version").asText());
    }
    // A classifier, as of a native library, is told in the reference and not in the name.
    assertThat(jars)
        .allMatch(jar -> parts.stream().anyMatch(jar::startsWith))
        .hasSizeGreaterThanOrEqualTo(parts.size());
    assertThat(parts)
        .allMatch(part -> jars.stream().anyMatch(jar -> jar.startsWith(part)))
        .noneMatch(part -> part.startsWith("omid-"));
  }

  @Test
  void theJarForHBaseHoldsOurClassesOnlyAndOnlyThoseOfItsModules() throws IOException {
    Path jar = new Installation(home).coprocessor();
    List<String> entries = entries(jar);
    assertThat(entries)
        .contains(
            "io/lampone/coprocessor/TransactionObserver.class",
            "META-INF/LICENSE",
            "META-INF/NOTICE");
    assertThat(entries.stream().filter(entry -> entry.endsWith(".class")))
        .allMatch(entry -> entry.matches("io/lampone/(coprocessor|hbase|protocol)/.*"));
    assertThat(entries.stream().filter(entry -> !entry.endsWith(".class")))
        .allMatch(entry -> entry.startsWith("META-INF/") || entry.startsWith("io/lampone/"));
  }

  @Test
  void everyLinkOfADocumentLeadsSomewhere() throws IOException {
    Pattern link = Pattern.compile("\\]\\(([^)#\\s]+)(#[^)]*)?\\)");
    List<String> dead = new ArrayList<>();
    int links = 0;
    for (Path document : documents()) {
      Matcher matcher = link.matcher(Files.readString(document));
      while (matcher.find()) {
        String target = matcher.group(1);
        if (!target.contains("://") && !target.startsWith("mailto:")) {
          links++;
          if (!Files.exists(document.resolveSibling(target))) {
            dead.add(home.relativize(document) + " -> " + target);
          }
        }
      }
    }
    assertThat(dead).isEmpty();
    assertThat(links).isGreaterThan(100);
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> files = Files.walk(home)) {
      return files.filter(file -> file.toString().endsWith(".md")).toList();
    }
  }

  private static Set<String> jars() throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("lib"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".jar"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /** Without folders. */
  private static List<String> entries(Path jar) throws IOException {
    try (JarFile opened = new JarFile(jar.toFile())) {
      return Collections.list(opened.entries()).stream()
          .map(ZipEntry::getName)
          .filter(name -> !name.endsWith("/"))
          .toList();
    }
  }
}
