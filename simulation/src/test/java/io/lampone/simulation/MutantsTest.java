package io.lampone.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The simulator finds what it is there to find. */
final class MutantsTest {

  private static final int MOST_SEEDS = Integer.getInteger("lampone.test.mutant-seeds", 10_000);
  private static final int THREADS = 2;

  private static final Path PAGE = Path.of("../docs/testing.md");

  /** The table is what {@code lampone simulate --mutants --markdown} prints. */
  @Test
  void theTableOfTheDocumentationNamesTheMutantsThatThereAre() throws IOException {
    List<String> page = Files.readAllLines(PAGE);
    int head = page.indexOf(Hunt.markdownHead().get(0));
    assertThat(head).as("the table of mutants in %s", PAGE).isNotNegative();
    List<String> rows =
        page.subList(head + 2, page.size()).stream().takeWhile(row -> row.startsWith("|")).toList();
    List<Mutant> mutants = Hunt.mutants();
    assertThat(rows).hasSameSizeAs(mutants);
    for (int i = 0; i < rows.size(); i++) {
      Mutant mutant = mutants.get(i);
      assertThat(rows.get(i)).startsWith(Hunt.rowBegin(mutant.name(), mutant.trap()));
      assertThat(rows.get(i)).as("seeds and invariant").matches(".*\\| [0-9]+ \\| `[A-Za-z]+` \\|");
    }
  }

  @Test
  void everyPlantedMistakeIsFound() throws InterruptedException {
    List<Hunt.Trophy> trophies = Hunt.all(1, MOST_SEEDS, THREADS);
    assertThat(trophies).hasSizeGreaterThanOrEqualTo(45);
    assertThat(trophies.stream().filter(each -> each.violation().isEmpty()))
        .as("mutants that have survived")
        .isEmpty();
  }
}
