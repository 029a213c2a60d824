package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of decisions is generated from the decisions: number, title and status of each. */
class DecisionsPageTest {

  private static final Path FOLDER = Path.of("..", "docs", "adr");
  private static final Path PAGE = FOLDER.resolve("README.md");

  /** First line of a decision. */
  private static final Pattern HEADING = Pattern.compile("# (\\d+)\\. (.*)");

  private static final String STATUS = "Status: ";

  private static final String HEAD =
      """
      # Decisions

      Context, decision, alternatives and consequences of each design decision. [protocol.md](../protocol.md) and the other pages describe the present state; the status names later decisions that changed an earlier one. Generated from the decisions: `-Dlampone.write=true -Dtest=DecisionsPageTest` writes this page anew.

      | | decision | status |
      |---|---|---|
      """;

  /** Generates the page with {@code -Dlampone.write=true}. */
  @Test
  void thePageHasEveryDecisionInOrderAndTheNumbersThatAreNotUsed() throws IOException {
    TreeMap<Integer, String> rows = rows();
    assertThat(rows).hasSizeGreaterThan(40);
    String page = page(rows);
    if (Boolean.getBoolean("lampone.write")) {
      Files.writeString(PAGE, page);
    }
    assertThat(PAGE).content().isEqualTo(page);
  }

  @Test
  void aNumberWithoutADecisionIsNotUsed() {
    TreeMap<Integer, String> rows = new TreeMap<>();
    rows.put(1, "| one |");
    rows.put(4, "| four |");
    assertThat(page(rows)).endsWith("| one |\n| four |\n\nNot used: 2, 3.\n");
  }

  private static String page(TreeMap<Integer, String> rows) {
    String unused =
        IntStream.rangeClosed(1, rows.lastKey())
            .filter(number -> !rows.containsKey(number))
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(", "));
    return HEAD + String.join("\n", rows.values()) + "\n\nNot used: " + unused + ".\n";
  }

  /** The row of each decision by its number. */
  private static TreeMap<Integer, String> rows() throws IOException {
    TreeMap<Integer, String> rows = new TreeMap<>();
    for (Path file : decisions()) {
      List<String> lines = Files.readAllLines(file);
      Matcher heading = HEADING.matcher(lines.get(0));
      assertThat(heading.matches()).as("%s begins with its number and title", file).isTrue();
      int number = Integer.parseInt(heading.group(1));
      String name = file.getFileName().toString();
      assertThat(name).startsWith("%04d-".formatted(number));
      String row = "| [%d](%s) | %s | %s |";
      assertThat(rows.put(number, row.formatted(number, name, heading.group(2), status(lines))))
          .as("another decision with the number of %s", file)
          .isNull();
    }
    return rows;
  }

  private static String status(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith(STATUS))
        .findFirst()
        .orElseThrow()
        .substring(STATUS.length())
        .replaceAll("\\.$", "");
  }

  private static List<Path> decisions() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.filter(file -> !file.equals(PAGE)).sorted().toList();
    }
  }
}
