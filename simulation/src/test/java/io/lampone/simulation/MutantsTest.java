package io.lampone.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The simulator finds what it is there to find. */
final class MutantsTest {

  private static final int MOST_SEEDS = Integer.getInteger("lampone.test.mutant-seeds", 10_000);
  private static final int THREADS = 2;

  /** Seen after thousands of seeds, or not within 10,000: not for a build, which has no time. */
  private static final Set<String> RARE_TRAPS = Set.of("D1", "H11", "M3", "M14");

  private static final boolean RARE_TOO = Boolean.getBoolean("lampone.test.rare-mutants");
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
  void everyPlantedMistakeThatIsNotRareIsFound() throws InterruptedException {
    List<Mutant> hunted =
        Hunt.mutants().stream()
            .filter(mutant -> RARE_TOO || !RARE_TRAPS.contains(mutant.trap()))
            .toList();
    List<Hunt.Trophy> trophies = Hunt.some(hunted, 1, MOST_SEEDS, THREADS);
    assertThat(trophies).hasSizeGreaterThanOrEqualTo(41);
    assertThat(trophies.stream().filter(each -> each.violation().isEmpty()))
        .as("mutants that have survived")
        .isEmpty();
  }
}
