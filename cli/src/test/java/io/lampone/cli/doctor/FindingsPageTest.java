package io.lampone.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Page of findings, generated from the doctor's kinds of findings. */
class FindingsPageTest {

  private static final Path PAGE = Path.of("..", "docs", "operations", "doctor-findings.md");

  private static final String HEAD =
      """
      # Findings of lampone doctor

      Generated from what [lampone doctor](doctor.md) prints: `-Dlampone.write=true -Dtest=FindingsPageTest` writes this page anew.

      | name | finding | advice |
      |---|---|---|
      """;

  /** Generates the page with {@code -Dlampone.write=true}. */
  @Test
  void thePageHasEveryFindingAsTheDoctorPrintsIt() throws IOException {
    StringBuilder page = new StringBuilder(HEAD);
    for (Ailment ailment : Ailment.values()) {
      page.append("| `%s` | %s |".formatted(ailment.name(), ailment.explanation()));
      page.append(" %s |\n".formatted(ailment.advice()));
    }
    if (Boolean.getBoolean("lampone.write")) {
      Files.writeString(PAGE, page);
    }
    assertThat(PAGE).content().isEqualTo(page.toString());
  }
}
