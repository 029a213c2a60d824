package io.lampone.lab;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.lampone.cli.CommandException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

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
   * @param deviations reasons by the names of the methods that fail
   */
  record TestClass(
      String name, int tier, String methods, int tests, Map<String, String> deviations) {

    TestClass {
      deviations = Map.copyOf(deviations);
    }

    /** Returns the class in the form of Maven's options. */
    String selection() {
      return methods.isEmpty() ? name : name + "#" + methods;
    }

    String simpleName() {
      return TestReports.simpleName(name);
    }
  }

  /**
   * What a run has shown.
   *
   * @param run tests that were not skipped
   * @param failed what was not expected, by the test or the class
   * @param deviations expected failures with their reasons, by the test
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

  List<TestClass> ofTier(int tier) {
    return classes.stream().filter(each -> each.tier() == tier).toList();
  }

  /**
   * Returns classes by their simple names.
   *
   * @throws CommandException if one is not in the list
   */
  List<TestClass> named(List<String> names) {
    Map<String, TestClass> known =
        classes.stream().collect(Collectors.toMap(TestClass::simpleName, each -> each));
    for (String name : names) {
      if (!known.containsKey(name)) {
        throw new CommandException(
            "no such class of tests, class='" + name + "'", FILE + " names them");
      }
    }
    return classes.stream().filter(each -> names.contains(each.simpleName())).toList();
  }

  /**
   * Compares the results of a run with what is expected of its classes.
   *
   * @param crashes messages of JVMs that ended before their tests
   */
  static Verdict compare(
      List<TestClass> expected, List<TestReports.Result> results, List<String> crashes) {
    Comparison comparison = new Comparison();
    for (TestClass each : expected) {
      comparison.add(
          each,
          results.stream()
              .filter(result -> result.className().equals(each.name()))
              .filter(result -> result.outcome() != TestReports.Outcome.SKIPPED)
              .toList());
    }
    for (int i = 0; i < crashes.size(); i++) {
      comparison.failed.put("crash " + (i + 1), crashes.get(i));
    }
    return comparison.verdict();
  }

  /** Collects the results of the classes. */
  private static final class Comparison {

    private final Map<String, String> failed = new TreeMap<>();
    private final Map<String, String> deviations = new TreeMap<>();
    private int run;
    private int passed;

    void add(TestClass expected, List<TestReports.Result> results) {
      List<String> absent = new ArrayList<>(expected.deviations().keySet());
      for (TestReports.Result result : results) {
        absent.remove(result.method());
        add(result, expected.deviations().getOrDefault(result.method(), ""));
      }
      absent.forEach(
          name -> failed.put(expected.simpleName() + "." + name, "did not run, but is listed"));
      if (results.isEmpty()) {
        failed.put(expected.simpleName(), "did not run");
      } else if (results.size() != expected.tests()) {
        failed.put(
            expected.simpleName(),
            "%d tests ran instead of %d".formatted(results.size(), expected.tests()));
      }
    }

    private void add(TestReports.Result result, String reason) {
      run++;
      boolean hasPassed = result.outcome() == TestReports.Outcome.PASSED;
      if (hasPassed) {
        passed++;
      }
      if (hasPassed && !reason.isEmpty()) {
        failed.put(result.shortName(), "passes, but is listed as a deviation");
      } else if (!hasPassed) {
        (reason.isEmpty() ? failed : deviations)
            .put(result.shortName(), reason.isEmpty() ? "failed" : reason);
      }
    }

    Verdict verdict() {
      return new Verdict(run, passed, failed, deviations);
    }
  }
}
