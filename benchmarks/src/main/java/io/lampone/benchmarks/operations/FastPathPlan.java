package io.lampone.benchmarks.operations;

import java.time.Duration;
import java.util.List;

/**
 * Plan of the measurement.
 *
 * @param rows of each comparison in each of its tables
 * @param valueBytes sizes of values
 */
public record FastPathPlan(
    Duration time, Duration warmUp, int threads, int rows, List<Integer> valueBytes, long seed) {

  /** Approximate number of rounds for the quartiles. */
  private static final int ROUNDS = 24;

  private static final int SLICES_OF_COMPARISON = 4;
  private static final Duration SHORTEST_SLICE = Duration.ofMillis(5);
  private static final Duration LONGEST_SLICE = Duration.ofMillis(40);

  public FastPathPlan {
    valueBytes = List.copyOf(valueBytes);
  }

  /** Returns the length of a slice that makes enough rounds of the available time. */
  public Duration slice() {
    int slices = Row.values().length * valueBytes.size() * SLICES_OF_COMPARISON * ROUNDS;
    Duration fitting = time.dividedBy(slices);
    if (fitting.compareTo(SHORTEST_SLICE) < 0) {
      return SHORTEST_SLICE;
    }
    return fitting.compareTo(LONGEST_SLICE) > 0 ? LONGEST_SLICE : fitting;
  }
}
