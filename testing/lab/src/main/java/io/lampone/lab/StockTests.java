package io.lampone.lab;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.lampone.cli.CommandException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Apache Phoenix's own tests: which are run, and what is expected of each. */
final class StockTests {

  /** The list, in a source tree. */
  static final String FILE = "phoenix/src/its/tests.json";

  private final List<TestClass> classes;

  StockTests(List<TestClass> classes) {
    this.classes = List.copyOf(classes);
  }

  /**
   * One class of tests.
   *
   * @param name with its package
   * @param tier 1 if all tests must pass
   * @param methods those that are run, or empty for all; an asterisk stands for any letters
   * @param tests number of those that run and are not skipped
   * @param deviations by the names of the methods that fail
   */
  record TestClass(
      String name, int tier, String methods, int tests, Map<String, Deviation> deviations) {

    /** Returns the class in the form of Maven's options. */
    String selection() {
      return methods.isEmpty() ? name : name + "#" + methods;
    }

    String simpleName() {
      return TestReports.simpleName(name);
    }
  }

  /**
   * Expected failure of a test.
   *
   * @param trace text of the stack trace; with another one the test has failed for another reason
   */
  record Deviation(String trace, String reason) {}

  /**
   * Results of a run.
   *
   * @param run tests that were not skipped
   * @param failed what was not expected, by the test or the class
   * @param deviations reasons of expected failures, by the test
   */
  record Verdict(int run, int passed, Map<String, String> failed, Map<String, String> deviations) {}

  /** Reads the list of the source tree. */
  static StockTests read(Path root) throws IOException {
    JsonMapper mapper =
        JsonMapper.builder()
            .enable(
                DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .build();
    return new StockTests(
        List.of(mapper.readValue(root.resolve(FILE).toFile(), TestClass[].class)));
  }

  /**
   * Returns the classes of a tier, or those with simple names.
   *
   * @param names none for all of the tier
   * @throws CommandException if there is no such class
   */
  List<TestClass> select(int tier, List<String> names) {
    List<TestClass> chosen =
        classes.stream()
            .filter(
                each -> names.isEmpty() ? each.tier() == tier : names.contains(each.simpleName()))
            .toList();
    if (chosen.size() < Math.max(1, names.size())) {
      throw new CommandException(
          "no such tests, tier=" + tier + " classes=" + names, FILE + " names them");
    }
    return chosen;
  }

  /**
   * Compares the results of a run with what is expected of its classes.
   *
   * @param crashes messages of JVMs that ended before their tests
   */
  static Verdict compare(
      List<TestClass> expected, List<TestReports.Result> results, List<String> crashes) {
    Verdict verdict = new Verdict(0, 0, new TreeMap<>(), new TreeMap<>());
    for (TestClass each : expected) {
      List<TestReports.Result> own =
          results.stream()
              .filter(result -> result.className().equals(each.name()))
              .filter(result -> result.outcome() != TestReports.Outcome.SKIPPED)
              .toList();
      verdict = add(verdict, each, own);
    }
    for (int i = 0; i < crashes.size(); i++) {
      verdict.failed().put("crash " + (i + 1), crashes.get(i));
    }
    return verdict;
  }

  private static Verdict add(Verdict verdict, TestClass expected, List<TestReports.Result> own) {
    int passed = 0;
    for (TestReports.Result result : own) {
      Deviation listed = expected.deviations().get(result.method());
      String test = result.shortName();
      if (result.outcome() == TestReports.Outcome.PASSED) {
        passed++;
        if (listed != null) {
          verdict.failed().put(test, "passes, but is listed as a deviation");
        }
      } else if (listed == null) {
        verdict.failed().put(test, "failed: " + result.trace().lines().findFirst().orElse(""));
      } else if (result.trace().contains(listed.trace())) {
        verdict.deviations().put(test, listed.reason());
      } else {
        verdict.failed().put(test, "failed for another reason than the list says");
      }
    }
    for (String method : expected.deviations().keySet()) {
      if (own.stream().noneMatch(result -> result.method().equals(method))) {
        verdict.failed().put(expected.simpleName() + "." + method, "is listed, but did not run");
      }
    }
    if (own.size() != expected.tests()) {
      String ran = own.size() + " tests ran instead of " + expected.tests();
      verdict.failed().put(expected.simpleName(), own.isEmpty() ? "did not run" : ran);
    }
    return new Verdict(
        verdict.run() + own.size(),
        verdict.passed() + passed,
        verdict.failed(),
        verdict.deviations());
  }
}
