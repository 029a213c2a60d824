package io.lampone.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;

/** Results of test classes by simple name, as Surefire and Failsafe report them. */
final class TestReports {

  private static final int DEPTH = 5;
  private static final Pattern REPORT = Pattern.compile("-reports/TEST-[^/]*\\.xml$");

  private final Map<String, Boolean> passed = new HashMap<>();

  private TestReports() {}

  /** Reads the reports below {@code root} that were written at or after {@code since}. */
  static TestReports read(Path root, Instant since) throws IOException {
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
    boolean clean = number(suite, "failures") == 0 && number(suite, "errors") == 0;
    boolean some = number(suite, "tests") > number(suite, "skipped");
    // Classes of different packages may share a name: all of them must pass.
    passed.merge(name.substring(name.lastIndexOf('.') + 1), clean && some, Boolean::logicalAnd);
  }

  private static int number(Element suite, String attribute) {
    return Integer.parseInt(suite.getAttribute(attribute));
  }
}
