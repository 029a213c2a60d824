package io.lampone.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AttackCommandTest {

  private static final Path TREE = Path.of("../..");

  @TempDir private Path folder;

  @Test
  void everyThreatOfThePage_namesTestsThatExist() throws IOException {
    Set<String> classes;
    try (Stream<Path> files = Files.find(TREE, 20, (path, attributes) -> isTestSource(path))) {
      classes =
          files
              .map(path -> path.getFileName().toString().replace(".java", ""))
              .collect(Collectors.toSet());
    }

    List<Threat> threats = Threat.readPage(TREE);

    assertThat(threats).hasSizeGreaterThan(10);
    for (Threat threat : threats) {
      assertThat(classes).as(threat.text()).containsAll(threat.tests());
    }
  }

  @Test
  void aRowWithoutATest_isRefused() throws IOException {
    writePage("| flood | limits | none |");

    assertThatThrownBy(() -> Threat.readPage(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("flood");
  }

  @Test
  void aRow_isRead() throws IOException {
    writePage("| flood of `x` | limits | `StormTest`, `FloodIT` |");

    assertThat(Threat.readPage(folder))
        .containsExactly(new Threat("flood of `x`", List.of("StormTest", "FloodIT")));
  }

  @Test
  void aTest_passesOnlyIfItRanAndNothingFailed() throws IOException {
    Instant start = Instant.now();
    report("a.GoodTest", 3, 1, 0, 0);
    report("a.FailedTest", 3, 0, 1, 0);
    report("a.BrokenIT", 3, 0, 0, 1);
    report("a.SkippedTest", 2, 2, 0, 0);
    report("a.TwiceTest", 1, 0, 0, 0);
    report("b.TwiceTest", 1, 0, 1, 0);

    TestReports reports = TestReports.read(folder, start);

    assertThat(reports.hasPassed("GoodTest")).isTrue();
    assertThat(reports.hasPassed("FailedTest")).isFalse();
    assertThat(reports.hasPassed("BrokenIT")).isFalse();
    assertThat(reports.hasPassed("SkippedTest")).isFalse();
    assertThat(reports.hasPassed("TwiceTest")).isFalse();
    assertThat(reports.hasPassed("AbsentTest")).isFalse();
  }

  @Test
  void anOldReport_countsForNothing() throws IOException {
    report("a.GoodTest", 1, 0, 0, 0);

    assertThat(TestReports.read(folder, Instant.now().plusSeconds(60)).hasPassed("GoodTest"))
        .isFalse();
  }

  private static boolean isTestSource(Path path) {
    String text = path.toString();
    return text.contains("/src/test/java/") && text.endsWith(".java");
  }

  private void writePage(String row) throws IOException {
    Path page = folder.resolve(Threat.PAGE);
    Files.createDirectories(page.getParent());
    Files.write(
        page, List.of("# Security", "", "| threat | defence | test |", "|---|---|---|", row));
  }

  private void report(String name, int tests, int skipped, int failures, int errors)
      throws IOException {
    Path file = folder.resolve("module/target/surefire-reports/TEST-" + name + ".xml");
    Files.createDirectories(file.getParent());
    String test = "<testcase name=\"t\">%s</testcase>";
    String content =
        test.formatted("<skipped/>").repeat(skipped)
            + test.formatted("<failure/>").repeat(failures)
            + test.formatted("<error/>").repeat(errors)
            + test.formatted("").repeat(tests - skipped - failures - errors);
    Files.writeString(file, "<testsuite name=\"%s\">%s</testsuite>".formatted(name, content));
  }
}
