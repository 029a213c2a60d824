package io.lampone.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * {@code -Dlampone.test.simulations=N} runs more seeds, {@code -Dlampone.test.seed=N} others;
 * {@code lampone simulate} does both without a build.
 */
final class SimulationTest {

  private static final int SEEDS = Integer.getInteger("lampone.test.simulations", 400);
  private static final long FIRST_SEED = Long.getLong("lampone.test.seed", 1);
  private static final int THREADS = 2;

  @Test
  void theSameSeedTwiceIsTheSameRunByteForByte() {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + 10; seed++) {
      SeedReport first = Simulation.run(seed, true);
      SeedReport second = Simulation.run(seed, true);
      assertThat(second.trace()).as("seed=%d", seed).isEqualTo(first.trace());
      assertThat(first.trace()).as("seed=%d", seed).hasSizeGreaterThan(100);
    }
  }

  @Test
  void aRunIsTheSameWhetherItIsTracedOrNot() {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + 10; seed++) {
      assertThat(Simulation.run(seed, false).events())
          .as("seed=%d", seed)
          .isEqualTo(Simulation.run(seed, true).events());
    }
  }

  @Test
  void everythingHoldsInEverySeed() throws InterruptedException {
    Campaign.Result result = Campaign.run(FIRST_SEED, SEEDS, THREADS);
    assertThat(result.violations()).as("lampone simulate --seed S --trace").isEmpty();
    // Otherwise little has been shown.
    assertThat(result.transactions()).isGreaterThan(SEEDS * 10L);
    assertThat(result.committed()).isGreaterThan(result.transactions() / 2);
    assertThat(result.unknown()).isPositive();
  }
}
