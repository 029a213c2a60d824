package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of decisions has all of them, as they call themselves. */
class DecisionsPageTest {

  private static final Path FOLDER = Path.of("..", "docs", "adr");
  private static final Path PAGE = FOLDER.resolve("README.md");

  /** The first line of a decision. */
  private static final Pattern HEADING = Pattern.compile("# (\\d+)\\. (.*)");

  private static final String STATUS = "Status: ";
  private static final String NOT_USED = "Not used: ";

  @Test
  void everyDecisionIsListedOnceInOrderWithItsTitleAndStatus() throws IOException {
    List<String> rows = new ArrayList<>();
    for (Path file : decisions()) {
      rows.add(row(file));
    }
    assertThat(rows).hasSizeGreaterThan(40);
    assertThat(Files.readAllLines(PAGE).stream().filter(line -> line.startsWith("| [")).toList())
        .isEqualTo(rows);
  }

  @Test
  void noNumberThatIsSaidToBeUnusedIsUsed() throws IOException {
    String unused =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith(NOT_USED))
            .findFirst()
            .orElseThrow()
            .substring(NOT_USED.length())
            .replace(".", "");
    for (String number : unused.split(", ")) {
      assertThat(decisions())
          .noneMatch(
              file ->
                  file.getFileName()
                      .toString()
                      .startsWith("%04d-".formatted(Integer.parseInt(number))));
    }
  }

  private static String row(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    Matcher heading = HEADING.matcher(lines.get(0));
    assertThat(heading.matches()).as("%s begins with its number and title", file).isTrue();
    String name = file.getFileName().toString();
    assertThat(name).startsWith("%04d-".formatted(Integer.parseInt(heading.group(1))));
    String status =
        lines.stream()
            .filter(line -> line.startsWith(STATUS))
            .findFirst()
            .orElseThrow()
            .substring(STATUS.length())
            .replaceAll("\\.$", "");
    return "| [%s](%s) | %s | %s |".formatted(heading.group(1), name, heading.group(2), status);
  }

  private static List<Path> decisions() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.filter(file -> !file.equals(PAGE)).sorted().toList();
    }
  }
}
