package io.lampone.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.simulation.invariant.NoIntentStuckTest;
import io.lampone.simulation.invariant.OneStateTest;
import io.lampone.simulation.mutant.Mutant;
import io.lampone.simulation.mutant.MutantSearch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The simulator finds what it is there to find. */
final class MutantsTest {

  private static final int MOST_SEEDS = Integer.getInteger("lampone.test.mutant-seeds", 10_000);
  private static final int THREADS = 2;

  private static final Path PAGE = Path.of("../../docs/evidence/simulation.md");
  private static final String INVARIANTS_HEAD =
      "| invariant | what holds, at every event that concerns it |";
  private static final Pattern NAME = Pattern.compile("`([A-Za-z]+)`");

  /**
   * What no mutant shows first: {@link JudgeTest}, {@link NoIntentStuckTest}, {@link OneStateTest}.
   */
  private static final Set<String> SEEN_TO_FAIL_BY_HAND =
      Set.of("UsableHistory", "NoIntentStuck", "OneState");

  /** Seeds at which a mutant shows what others, or it at a smaller seed, do not show first. */
  private static final Map<String, Long> SHOWN_LATER =
      Map.of("the clock is raised after the read", 33L);

  /** The table is what {@code lampone simulate --mutants --markdown} prints. */
  @Test
  void theTableOfTheDocumentationNamesTheMutantsThatThereAre() throws IOException {
    List<String> page = Files.readAllLines(PAGE);
    int head = page.indexOf(MutantSearch.markdownHead().get(0));
    assertThat(head).as("the table of mutants in %s", PAGE).isNotNegative();
    List<String> rows =
        page.subList(head + 2, page.size()).stream().takeWhile(row -> row.startsWith("|")).toList();
    List<Mutant> mutants = MutantSearch.mutants();
    assertThat(rows).hasSameSizeAs(mutants);
    for (int i = 0; i < rows.size(); i++) {
      Mutant mutant = mutants.get(i);
      assertThat(rows.get(i)).startsWith(MutantSearch.rowBegin(mutant.name(), mutant.trap()));
      assertThat(rows.get(i)).as("seeds and invariant").matches(".*\\| [0-9]+ \\| `[A-Za-z]+` \\|");
    }
  }

  /** And every invariant finds something: a check that has never failed may be one that cannot. */
  @Test
  void everyPlantedMistakeIsFoundAndEveryInvariantFindsOne()
      throws InterruptedException, IOException {
    List<MutantSearch.Trophy> trophies = MutantSearch.all(1, MOST_SEEDS, THREADS);
    assertThat(trophies).hasSizeGreaterThanOrEqualTo(53);
    assertThat(trophies.stream().filter(each -> each.violation().isEmpty()))
        .as("mutants that have survived")
        .isEmpty();
    Set<String> found = new TreeSet<>(SEEN_TO_FAIL_BY_HAND);
    trophies.forEach(each -> each.violation().ifPresent(v -> found.add(v.invariant())));
    for (Mutant mutant : MutantSearch.mutants()) {
      if (SHOWN_LATER.containsKey(mutant.name())) {
        MutantSearch.one(mutant, SHOWN_LATER.get(mutant.name()), 1)
            .violation()
            .ifPresent(v -> found.add(v.invariant()));
      }
    }
    assertThat(found).as("the invariants of %s", PAGE).isEqualTo(namedInvariants());
  }

  private static Set<String> namedInvariants() throws IOException {
    List<String> page = Files.readAllLines(PAGE);
    int head = page.indexOf(INVARIANTS_HEAD);
    assertThat(head).as("the table of invariants in %s", PAGE).isNotNegative();
    Set<String> names = new TreeSet<>();
    for (int i = head + 2; page.get(i).startsWith("|"); i++) {
      Matcher name = NAME.matcher(page.get(i).split(" \\| ")[0]);
      while (name.find()) {
        names.add(name.group(1));
      }
    }
    return names;
  }
}
