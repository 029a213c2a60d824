package io.lampone.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SimulationTest {

  @Test
  void theSameSeedTwiceIsTheSameRunByteForByte() {
    for (long seed = 1; seed <= 5; seed++) {
      SeedReport first = Simulation.run(seed, true);
      SeedReport second = Simulation.run(seed, true);
      assertThat(second.trace()).as("seed=%d", seed).isEqualTo(first.trace());
      assertThat(first.trace()).as("seed=%d", seed).hasSizeGreaterThan(100);
    }
  }

  @Test
  void noSeedViolatesAnything() {
    for (long seed = 1; seed <= 100; seed++) {
      assertThat(Simulation.run(seed, false).violation()).as("seed=%d", seed).isEmpty();
    }
  }
}
