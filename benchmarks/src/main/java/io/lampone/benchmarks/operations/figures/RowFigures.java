package io.lampone.benchmarks.operations.figures;

import io.lampone.benchmarks.operations.Row;
import io.lampone.benchmarks.report.Quartiles;

/**
 * Row of the result.
 *
 * @param ratio ratio of the latencies: of each round, the median of the measured operation by that
 *     of the unit
 * @param operations operations of both sides together
 */
public record RowFigures(
    Row row, int valueBytes, Quartiles ratio, Times measured, Times unit, long operations) {

  /**
   * Cost of one operation.
   *
   * @param medianMicros latency, over all rounds
   * @param cpuMicros processor time of all processes that are measured; 0 if unknown
   */
  record Times(double medianMicros, double cpuMicros) {}

  /** Returns the ratio of processor times; 0 if unknown. */
  double cpuRatio() {
    return unit.cpuMicros() == 0 ? 0 : measured.cpuMicros() / unit.cpuMicros();
  }

  /** Returns true if the target is met, or if there is none. */
  boolean isMet() {
    return row.target().map(target -> ratio.median() <= target).orElse(true);
  }
}
