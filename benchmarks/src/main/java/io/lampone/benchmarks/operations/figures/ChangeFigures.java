package io.lampone.benchmarks.operations.figures;

import java.util.List;

/**
 * Effect on transactions of adding and removing validators.
 *
 * @param failures transactions that failed
 * @param beforeMicros 99th percentile of the times of commits before the changes
 * @param duringMicros the same from the first change to a pause after the last one
 */
public record ChangeFigures(long failures, double beforeMicros, double duringMicros) {

  private static final double NANOS_PER_MICRO = 1e3;
  private static final double PERCENTILE = 0.99;

  /** Returns the figures of commits that took so many nanoseconds; there is one of each kind. */
  public static ChangeFigures of(long failures, List<Long> before, List<Long> during) {
    return new ChangeFigures(failures, percentile(before), percentile(during));
  }

  private static double percentile(List<Long> nanos) {
    int rank = (int) Math.ceil(PERCENTILE * nanos.size());
    return nanos.stream().sorted().skip(rank - 1L).findFirst().orElseThrow() / NANOS_PER_MICRO;
  }

  /** Returns the percentile during the changes in units of that before. */
  double ratio() {
    return duringMicros / beforeMicros;
  }
}
