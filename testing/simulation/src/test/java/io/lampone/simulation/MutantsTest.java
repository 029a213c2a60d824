package io.lampone.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.simulation.invariant.NoIntentStuckTest;
import io.lampone.simulation.invariant.OneStateTest;
import io.lampone.simulation.manager.ReservationsAreHintsTest;
import io.lampone.simulation.mutant.Mutant;
import io.lampone.simulation.mutant.MutantSearch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that the simulator finds its planted bugs. */
final class MutantsTest {

  private static final int MOST_SEEDS = Integer.getInteger("lampone.test.mutant-seeds", 10_000);
  private static final int THREADS = 2;

  private static final Path PAGE = Path.of("../../docs/evidence/simulation.md");
  private static final String INVARIANTS_HEAD =
      "| invariant | what holds, at every event that concerns it |";
  private static final Pattern NAME = Pattern.compile("`([A-Za-z]+)`");

  /**
   * Invariants that no mutant violates first: {@link JudgeTest}, {@link NoIntentStuckTest}, {@link
   * OneStateTest}, {@link ReservationsAreHintsTest}.
   */
  private static final Set<String> SEEN_TO_FAIL_BY_HAND =
      Set.of("UsableHistory", "NoIntentStuck", "OneState", "ReservationsAreHints");

  /** Seeds at which a mutant violates first an invariant that no smaller seed violates first. */
  private static final Map<String, Long> SHOWN_LATER =
      Map.of("the clock is raised after the read", 33L, "the owner of now is not asked", 70L);

  /** The table is what {@code lampone simulate --mutants --markdown} prints. */
  @Test
  void theTableOfTheDocumentationNamesTheMutantsThatThereAre() throws IOException {
    List<String> rows = rowsOfMutants();
    List<Mutant> mutants = MutantSearch.mutants();
    assertThat(rows).hasSameSizeAs(mutants);
    for (int i = 0; i < rows.size(); i++) {
      Mutant mutant = mutants.get(i);
      assertThat(rows.get(i)).startsWith(MutantSearch.rowBegin(mutant.name(), mutant.trap()));
      assertThat(rows.get(i)).as("seeds and invariant").matches(".*\\| [0-9]+ \\| `[A-Za-z]+` \\|");
    }
  }

  /**
   * Requires that every invariant finds a bug: a check that has never failed may be one that
   * cannot. The seed of the table is run first; a mutant that it does not show any more is searched
   * for.
   */
  @Test
  void everyPlantedMistakeIsFoundAndEveryInvariantFindsOne()
      throws InterruptedException, IOException {
    List<MutantSearch.Trophy> trophies = new ArrayList<>();
    List<Mutant> others = new ArrayList<>();
    Map<String, Long> seeds = seedsOfMutants();
    for (Mutant mutant : MutantSearch.mutants()) {
      MutantSearch.Trophy trophy =
          MutantSearch.one(mutant, seeds.getOrDefault(mutant.name(), 1L), 1);
      if (trophy.violation().isPresent()) {
        trophies.add(trophy);
      } else {
        others.add(mutant);
      }
    }
    System.out.println("MutantsTest: not shown by the seed in " + PAGE + ": " + others);
    trophies.addAll(MutantSearch.some(others, 1, MOST_SEEDS, THREADS));
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

  private static List<String> rowsOfMutants() throws IOException {
    List<String> page = Files.readAllLines(PAGE);
    int head = page.indexOf(MutantSearch.markdownHead().get(0));
    assertThat(head).as("the table of mutants in %s", PAGE).isNotNegative();
    return page.subList(head + 2, page.size()).stream()
        .takeWhile(row -> row.startsWith("|"))
        .toList();
  }

  /** Returns the seed of each mutant that the table names: its searches begin at seed 1. */
  private static Map<String, Long> seedsOfMutants() throws IOException {
    Map<String, Long> seeds = new HashMap<>();
    for (String row : rowsOfMutants()) {
      String[] cells = row.split(" \\| ");
      seeds.put(cells[0].substring("| ".length()), Long.valueOf(cells[cells.length - 2]));
    }
    return seeds;
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
