package io.lampone.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** Results of test classes by simple name, as Surefire and Failsafe report them. */
public final class TestReports {

  private static final int DEPTH = 5;
  private static final Pattern REPORT =
      Pattern.compile("-reports/(TEST-[^/]*|failsafe-summary)\\.xml$");
  private static final String SUMMARY = "failsafe-summary.xml";

  private final List<Result> results = new ArrayList<>();
  private final List<String> crashes = new ArrayList<>();

  /** Outcome of a test. */
  enum Outcome {
    PASSED,
    FAILED,
    SKIPPED
  }

  /**
   * One test.
   *
   * @param className with its package
   * @param method without parameters
   * @param trace why it has failed, or empty
   */
  record Result(String className, String method, Outcome outcome, String trace) {

    /** Returns {@code Class.method}. */
    String shortName() {
      return simpleName(className) + "." + method;
    }
  }

  private TestReports() {}

  /** Reads the reports below {@code root} that were written at or after {@code since}. */
  public static TestReports read(Path root, Instant since) throws IOException {
    TestReports reports = new TestReports();
    List<Path> files;
    try (Stream<Path> found =
        Files.find(root, DEPTH, (path, attributes) -> isReport(path, attributes.isRegularFile()))) {
      files = found.toList();
    }
    for (Path file : files) {
      // File systems may round down to seconds.
      if (!Files.getLastModifiedTime(file).toInstant().plusSeconds(1).isBefore(since)) {
        reports.add(file);
      }
    }
    return reports;
  }

  /** Returns true if the class ran, none of its tests failed, and at least one was not skipped. */
  boolean hasPassed(String simpleName) {
    // Classes of different packages may share a name: all of them must pass.
    List<Outcome> outcomes =
        results.stream()
            .filter(each -> simpleName(each.className()).equals(simpleName))
            .map(Result::outcome)
            .toList();
    return outcomes.contains(Outcome.PASSED) && !outcomes.contains(Outcome.FAILED);
  }

  /** Returns the tests that failed, as {@code Class.method}, in the order of their classes. */
  public List<String> failed() {
    return results.stream()
        .filter(each -> each.outcome() == Outcome.FAILED)
        .map(Result::shortName)
        .sorted()
        .toList();
  }

  /** Returns the tests of all reports. */
  List<Result> results() {
    return List.copyOf(results);
  }

  /** Returns what Failsafe says of JVMs that ended before their tests, or were ended. */
  List<String> crashes() {
    return List.copyOf(crashes);
  }

  static String simpleName(String className) {
    return className.substring(className.lastIndexOf('.') + 1);
  }

  private static boolean isReport(Path path, boolean isFile) {
    return isFile && REPORT.matcher(path.toString()).find();
  }

  private void add(Path file) throws IOException {
    Element suite;
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      suite = factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement();
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException("unreadable report, file=" + file, e);
    }
    if (file.endsWith(SUMMARY)) {
      addCrash(suite);
      return;
    }
    NodeList tests = suite.getElementsByTagName("testcase");
    for (int i = 0; i < tests.getLength(); i++) {
      results.add(result(suite.getAttribute("name"), (Element) tests.item(i)));
    }
  }

  private static Result result(String className, Element test) {
    // Parameters follow the name of the method.
    String method = test.getAttribute("name").split("[({\\[]")[0];
    if (test.getElementsByTagName("skipped").getLength() > 0) {
      return new Result(className, method, Outcome.SKIPPED, "");
    }
    for (String tag : List.of("failure", "error")) {
      NodeList failures = test.getElementsByTagName(tag);
      if (failures.getLength() > 0) {
        return new Result(className, method, Outcome.FAILED, failures.item(0).getTextContent());
      }
    }
    return new Result(className, method, Outcome.PASSED, "");
  }

  private void addCrash(Element summary) {
    NodeList messages = summary.getElementsByTagName("failureMessage");
    String message = messages.getLength() == 0 ? "" : messages.item(0).getTextContent().strip();
    if (!message.isEmpty()) {
      crashes.add(message.lines().findFirst().orElse("").strip());
    } else if (summary.getAttribute("timeout").equals("true")) {
      crashes.add("a JVM took too long and was ended");
    }
  }
}
