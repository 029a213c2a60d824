package io.lampone.tm.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The reference of metrics is generated from the texts that /metrics shows. */
final class MetricsPageTest {

  private static final Path PAGE = Path.of("..", "docs", "operations", "metrics-reference.md");
  private static final Path TEXTS =
      Path.of("src/main/resources/io/lampone/tm/metrics/help.properties");

  private static final String TITLE = "## ";

  private static final String HEAD =
      """
      # Each metric

      Generated from the texts of `/metrics`: `-Dlampone.write=true -Dtest=MetricsPageTest` writes this page anew. What to alert on: [metrics.md](metrics.md).

      A counter ends in `_total` and only grows. A summary has the quantiles 0.5, 0.9, 0.99, 0.999 and 1 (the maximum) of the last 30 to 60 seconds between two looks, each at most an eighth too high, and a `_count`.
      """;

  /** {@code -Dlampone.write=true} writes it anew. */
  @Test
  void thePageIsTheOneThatTheTextsGenerate() throws IOException {
    String page = page(Files.readAllLines(TEXTS));
    if (Boolean.getBoolean("lampone.write")) {
      Files.writeString(PAGE, page);
    }
    assertThat(PAGE).content().isEqualTo(page);
  }

  @Test
  void aTitleBeginsATable() {
    assertThat(page(List.of("# comment", "## Time", "a_total=one=1", "", "b=two")))
        .endsWith(
            """

            ## Time

            | metric | meaning |
            |---|---|
            | `a_total` | one=1 |
            | `b` | two |
            """);
  }

  private static String page(List<String> texts) {
    StringBuilder page = new StringBuilder(HEAD);
    for (String line : texts) {
      if (line.startsWith(TITLE)) {
        page.append('\n').append(line).append("\n\n| metric | meaning |\n|---|---|\n");
      } else if (!line.isEmpty() && !line.startsWith("#")) {
        String[] parts = line.split("=", 2);
        page.append("| `").append(parts[0]).append("` | ").append(parts[1]).append(" |\n");
      }
    }
    return page.toString();
  }
}
