package io.lampone.benchmarks.operations.figures;

/**
 * Effect on transactions of adding and removing validators.
 *
 * @param failures transactions that failed
 * @param beforeMicros 99th percentile of the times of commits before the changes
 * @param duringMicros the same from the first change to a pause after the last one
 */
public record ChangeFigures(long failures, double beforeMicros, double duringMicros) {

  /** Returns the percentile during the changes in units of that before. */
  double ratio() {
    return duringMicros / beforeMicros;
  }
}
