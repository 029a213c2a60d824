package io.lampone.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs planted mistakes until something is seen of them. */
public final class Hunt {

  private Hunt() {}

  /**
   * What came of one mutant.
   *
   * @param mutant its name
   * @param trap that it stands for
   * @param seeds that were run, the one with the violation included
   * @param seed the one with the violation; 0 if there was none
   * @param violation empty if the mutant has survived
   */
  public record Trophy(
      String mutant, String trap, int seeds, long seed, Optional<Violation> violation) {}

  static List<Mutant> mutants() {
    List<Mutant> all = new ArrayList<>(RegionMutants.all());
    all.addAll(ClientMutants.all());
    all.addAll(ManagerMutants.all());
    return all;
  }

  /**
   * Hunts all of them.
   *
   * @param firstSeed where each hunt begins
   * @param mostSeeds after which a mutant is let go
   * @param told of each as it ends
   */
  public static List<Trophy> all(long firstSeed, int mostSeeds, Consumer<Trophy> told) {
    List<Trophy> trophies = new ArrayList<>();
    for (Mutant mutant : mutants()) {
      Trophy trophy = one(mutant, firstSeed, mostSeeds);
      trophies.add(trophy);
      told.accept(trophy);
    }
    return trophies;
  }

  static Trophy one(Mutant mutant, long firstSeed, int mostSeeds) {
    for (int i = 0; i < mostSeeds; i++) {
      SeedReport report = Simulation.run(firstSeed + i, false, mutant.seams());
      if (report.violation().isPresent()) {
        return new Trophy(mutant.name(), mutant.trap(), i + 1, firstSeed + i, report.violation());
      }
    }
    return new Trophy(mutant.name(), mutant.trap(), mostSeeds, 0, Optional.empty());
  }
}
