package io.lampone.simulation.world;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Source of all random choices of one run: one generator, one seed. */
public final class Chance implements RandomGenerator {

  private final SplittableRandom random;

  public Chance(long seed) {
    random = new SplittableRandom(seed);
  }

  @Override
  public long nextLong() {
    return random.nextLong();
  }

  /** True once in {@code n} times; never if {@code n} is 0. */
  public boolean oneIn(int n) {
    return n > 0 && random.nextInt(n) == 0;
  }

  /** Evenly from 0 to {@code longest}. */
  public long nanosUpTo(Duration longest) {
    return random.nextLong(longest.toNanos() + 1);
  }

  /** Evenly from {@code low} to {@code high}, both included. */
  public int between(int low, int high) {
    return low + random.nextInt(high - low + 1);
  }

  public <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }
}
