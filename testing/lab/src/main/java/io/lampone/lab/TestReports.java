package io.lampone.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
  private static final Pattern REPORT = Pattern.compile("-reports/TEST-[^/]*\\.xml$");

  private final Map<String, Boolean> passed = new HashMap<>();
  private final List<String> failed = new ArrayList<>();

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
    return passed.getOrDefault(simpleName, false);
  }

  /** Returns the tests that failed, as {@code Class.method}, in the order of their classes. */
  public List<String> failed() {
    return failed.stream().sorted().toList();
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
    String name = suite.getAttribute("name");
    String simpleName = name.substring(name.lastIndexOf('.') + 1);
    addFailed(suite, simpleName);
    boolean clean = number(suite, "failures") == 0 && number(suite, "errors") == 0;
    boolean some = number(suite, "tests") > number(suite, "skipped");
    // Classes of different packages may share a name: all of them must pass.
    passed.merge(simpleName, clean && some, Boolean::logicalAnd);
  }

  private void addFailed(Element suite, String simpleName) {
    NodeList tests = suite.getElementsByTagName("testcase");
    for (int i = 0; i < tests.getLength(); i++) {
      Element test = (Element) tests.item(i);
      if (test.getElementsByTagName("failure").getLength() > 0
          || test.getElementsByTagName("error").getLength() > 0) {
        // Parameters follow the name of the method.
        failed.add(simpleName + "." + test.getAttribute("name").split("[({\\[]")[0]);
      }
    }
  }

  private static int number(Element suite, String attribute) {
    return Integer.parseInt(suite.getAttribute(attribute));
  }
}
