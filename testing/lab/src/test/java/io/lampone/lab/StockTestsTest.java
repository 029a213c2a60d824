package io.lampone.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.cli.CommandException;
import io.lampone.lab.StockTests.Deviation;
import io.lampone.lab.StockTests.TestClass;
import io.lampone.lab.StockTests.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StockTestsTest {

  private static final Path TREE = Path.of("../..");
  private static final TestClass ROLLBACK = new TestClass("a.b.RollbackIT", 1, "", 2, Map.of());
  private static final TestClass INDEX =
      new TestClass(
          "a.b.IndexIT",
          2,
          "",
          2,
          Map.of("testCells", new Deviation("trace", "looks for shadow cells")));
  private static final String PASSES = "";
  private static final String FAILS = "<failure message=\"m\">trace</failure>";
  private static final String BREAKS = "<error type=\"e\">trace</error>";
  private static final String SKIPPED = "<skipped/>";

  @TempDir private Path folder;

  @Test
  void classesWhoseTestsAllPass_areClean() throws IOException {
    report("RollbackIT", test("testOne[provider=OMID]", PASSES), test("testTwo", PASSES));
    summary("<failureMessage/>", false);

    assertThat(compare(ROLLBACK)).isEqualTo(new Verdict(2, 2, Map.of(), Map.of()));
  }

  @Test
  void anUnexpectedFailure_isNamed() throws IOException {
    report("RollbackIT", test("testOne[provider=OMID]", FAILS), test("testTwo", BREAKS));

    assertThat(compare(ROLLBACK))
        .isEqualTo(
            new Verdict(
                2,
                0,
                Map.of(
                    "RollbackIT.testOne", "failed: trace", "RollbackIT.testTwo", "failed: trace"),
                Map.of()));
  }

  @Test
  void aDeviation_isExpectedToFail() throws IOException {
    report("IndexIT", test("testCells[provider=OMID]", FAILS), test("testRows", PASSES));

    assertThat(compare(INDEX))
        .isEqualTo(
            new Verdict(2, 1, Map.of(), Map.of("IndexIT.testCells", "looks for shadow cells")));
  }

  @Test
  void aDeviationWithAnotherStackTrace_isAFailure() throws IOException {
    report("IndexIT", test("testCells", "<error>else</error>"), test("testRows", PASSES));

    assertThat(compare(INDEX).failed())
        .isEqualTo(Map.of("IndexIT.testCells", "failed for another reason than the list says"));
  }

  @Test
  void aDeviationThatPasses_isAFailure() throws IOException {
    report("IndexIT", test("testCells[provider=OMID]", PASSES), test("testRows", PASSES));

    Verdict verdict = compare(INDEX);

    assertThat(verdict.failed()).containsOnlyKeys("IndexIT.testCells");
    assertThat(verdict.failed().get("IndexIT.testCells")).contains("passes");
    assertThat(verdict.deviations()).isEmpty();
  }

  @Test
  void aDeviationThatDidNotRun_isAFailure() throws IOException {
    report("IndexIT", test("testCells", SKIPPED), test("testRows", PASSES), test("testA", PASSES));

    assertThat(compare(INDEX).failed()).containsOnlyKeys("IndexIT.testCells");
  }

  @Test
  void aClassWithoutAReport_isAFailure() throws IOException {
    report("IndexIT", test("testCells", FAILS), test("testRows", PASSES));

    assertThat(compare(ROLLBACK, INDEX).failed()).isEqualTo(Map.of("RollbackIT", "did not run"));
  }

  @Test
  void fewerTestsThanListed_areAFailure() throws IOException {
    report("RollbackIT", test("testOne", PASSES), test("testTwo", SKIPPED));

    Verdict verdict = compare(ROLLBACK);

    assertThat(verdict.run()).isEqualTo(1);
    assertThat(verdict.failed()).isEqualTo(Map.of("RollbackIT", "1 tests ran instead of 2"));
  }

  /** Its class may have a report, or none. */
  @Test
  void aCrashOfAJvm_isAFailure() throws IOException {
    report("RollbackIT", test("testOne", PASSES), test("testTwo", PASSES));
    summary("<failureMessage>The forked VM terminated\nCommand was x</failureMessage>", false);

    assertThat(compare(ROLLBACK).failed()).isEqualTo(Map.of("crash 1", "The forked VM terminated"));
  }

  @Test
  void aJvmThatTookTooLong_isAFailure() throws IOException {
    report("RollbackIT", test("testOne", PASSES), test("testTwo", PASSES));
    summary("", true);

    assertThat(compare(ROLLBACK).failed().get("crash 1")).contains("too long");
  }

  @Test
  void classesAreSelectedByNameOrTier() {
    StockTests tests = new StockTests(List.of(ROLLBACK, INDEX));

    assertThat(tests.select(1, List.of())).containsExactly(ROLLBACK);
    assertThat(tests.select(1, List.of("IndexIT"))).containsExactly(INDEX);
    assertThatThrownBy(() -> tests.select(1, List.of("IndexIT", "OtherIT")))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("OtherIT");
    assertThatThrownBy(() -> tests.select(3, List.of())).hasMessageContaining("tier=3");
    assertThat(new TestClass("a.AlterIT", 2, "testTx*", 1, Map.of()).selection())
        .isEqualTo("a.AlterIT#testTx*");
  }

  @Test
  void theFirstTierOfTheTree_isTheListOfTheProfile_andHasNoDeviations() throws IOException {
    List<TestClass> first = StockTests.read(TREE).select(1, List.of());
    Matcher profile =
        Pattern.compile("<phoenix.its>(.*)</phoenix.its>")
            .matcher(Files.readString(TREE.resolve("phoenix/pom.xml")));

    assertThat(profile.find()).isTrue();
    assertThat(first).allMatch(each -> each.deviations().isEmpty());
    assertThat(profile.group(1).split(","))
        .hasSameSizeAs(first)
        .allSatisfy(
            pattern ->
                assertThat(first)
                    .anyMatch(
                        each ->
                            ("/" + each.name().replace('.', '/') + ".class")
                                .endsWith(pattern.substring(2))));
  }

  @Test
  void eachDeviationOfTheTree_hasAReason() throws IOException {
    assertThat(StockTests.read(TREE).select(2, List.of()))
        .isNotEmpty()
        .allSatisfy(
            each ->
                assertThat(each.deviations().values())
                    .allMatch(one -> one.reason().length() > 10 && one.trace().length() > 5));
  }

  private Verdict compare(TestClass... expected) throws IOException {
    TestReports reports = TestReports.read(folder, Instant.now().minusSeconds(60));
    return StockTests.compare(List.of(expected), reports.results(), reports.crashes());
  }

  private static String test(String name, String content) {
    return "<testcase name=\"%s\" classname=\"x\">%s</testcase>".formatted(name, content);
  }

  private void report(String simpleName, String... tests) throws IOException {
    write(
        "TEST-a.b." + simpleName,
        "<testsuite name=\"a.b.%s\">%s</testsuite>".formatted(simpleName, String.join("", tests)));
  }

  private void summary(String content, boolean timeout) throws IOException {
    write(
        "failsafe-summary",
        "<failsafe-summary timeout=\"%s\">%s</failsafe-summary>".formatted(timeout, content));
  }

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve("target/failsafe-reports/" + name + ".xml");
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
