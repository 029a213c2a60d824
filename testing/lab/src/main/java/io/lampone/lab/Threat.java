package io.lampone.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Row of the table of threats in the page about security.
 *
 * @param text the attack
 * @param tests simple names of the test classes that carry out the attack, at least one
 */
record Threat(String text, List<String> tests) {

  static final String PAGE = "docs/operations/security.md";

  private static final String HEADER = "| threat | defence | test |";
  private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|IT))`");

  Threat {
    tests = List.copyOf(tests);
  }

  /**
   * Reads the table.
   *
   * @throws IOException if the page cannot be read, or has no such table, or a row names no test
   */
  static List<Threat> readPage(Path root) throws IOException {
    List<String> lines = Files.readAllLines(root.resolve(PAGE));
    int header = lines.indexOf(HEADER);
    if (header < 0) {
      throw new IOException("no table of threats, file=" + PAGE + " header=" + HEADER);
    }
    List<Threat> threats = new ArrayList<>();
    // Behind the header is the line of dashes.
    for (int i = header + 2; i < lines.size() && lines.get(i).startsWith("|"); i++) {
      threats.add(parse(lines.get(i)));
    }
    return threats;
  }

  private static Threat parse(String row) throws IOException {
    String[] cells = row.split("\\|");
    List<String> tests = new ArrayList<>();
    Matcher matcher = TEST.matcher(cells[cells.length - 1]);
    while (matcher.find()) {
      tests.add(matcher.group(1));
    }
    if (tests.isEmpty()) {
      throw new IOException("a threat without a test, file=" + PAGE + " row=" + row);
    }
    return new Threat(cells[1].strip(), tests);
  }
}
