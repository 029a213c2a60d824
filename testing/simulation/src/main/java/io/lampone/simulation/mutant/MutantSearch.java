package io.lampone.simulation.mutant;

import io.lampone.simulation.SeedReport;
import io.lampone.simulation.Simulation;
import io.lampone.simulation.world.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Runs planted mistakes until something is seen of them. */
public final class MutantSearch {

  private MutantSearch() {}

  /**
   * Result of one mutant.
   *
   * @param mutant its name
   * @param trap that it stands for
   * @param seeds that were run, the one with the violation included
   * @param violation empty if the mutant has survived
   */
  public record Trophy(String mutant, String trap, int seeds, Optional<Violation> violation) {

    /** Its row in the table of docs/evidence/simulation.md. */
    public String markdown() {
      String invariant = violation.map(v -> "`" + v.invariant() + "`").orElse("SURVIVED");
      return rowBegin(mutant, trap) + seeds + " | " + invariant + " |";
    }
  }

  /** The head of the table of docs/evidence/simulation.md. */
  public static List<String> markdownHead() {
    return List.of("| mutant | trap | seeds | invariant |", "|---|---|---|---|");
  }

  /** Returns the begin of a mutant's row, the same for all results. */
  public static String rowBegin(String mutant, String trap) {
    return "| " + mutant + " | " + trap + " | ";
  }

  public static List<Mutant> mutants() {
    return Stream.of(
            RegionMutants.all(),
            ProofMutants.all(),
            FastPathMutants.all(),
            ClientMutants.all(),
            ManagerMutants.all(),
            CollectionMutants.all(),
            SerializableMutants.all(),
            RangeMutants.all(),
            SessionMutants.all(),
            ValidatorMutants.all(),
            LatestMutants.all())
        .flatMap(List::stream)
        .toList();
  }

  /**
   * Hunts all of them, several beside each other.
   *
   * @param firstSeed where each search begins
   * @param mostSeeds after which a mutant is let go
   */
  public static List<Trophy> all(long firstSeed, int mostSeeds, int threads)
      throws InterruptedException {
    return some(mutants(), firstSeed, mostSeeds, threads);
  }

  /** Hunts some of them, as {@link #all} does. */
  public static List<Trophy> some(List<Mutant> mutants, long firstSeed, int mostSeeds, int threads)
      throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Trophy>> hunts = new ArrayList<>();
      for (Mutant mutant : mutants) {
        hunts.add(pool.submit(() -> one(mutant, firstSeed, mostSeeds)));
      }
      List<Trophy> trophies = new ArrayList<>();
      for (Future<Trophy> mutantSearch : hunts) {
        trophies.add(mutantSearch.get());
      }
      return trophies;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the simulator itself has failed", e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  public static Trophy one(Mutant mutant, long firstSeed, int mostSeeds) {
    for (int i = 0; i < mostSeeds; i++) {
      SeedReport report = Simulation.run(firstSeed + i, false, mutant.seams());
      if (report.violation().isPresent()) {
        return new Trophy(mutant.name(), mutant.trap(), i + 1, report.violation());
      }
    }
    return new Trophy(mutant.name(), mutant.trap(), mostSeeds, Optional.empty());
  }
}
