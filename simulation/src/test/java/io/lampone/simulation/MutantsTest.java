package io.lampone.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The simulator finds what it is there to find. */
final class MutantsTest {

  private static final int MOST_SEEDS = Integer.getInteger("lampone.test.mutant-seeds", 4_000);
  private static final int THREADS = 2;

  @Test
  void everyPlantedMistakeIsFound() throws InterruptedException {
    List<Hunt.Trophy> trophies = Hunt.all(1, MOST_SEEDS, THREADS);
    assertThat(trophies).hasSizeGreaterThanOrEqualTo(41);
    assertThat(trophies.stream().filter(each -> each.violation().isEmpty()))
        .as("mutants that have survived")
        .isEmpty();
  }
}
