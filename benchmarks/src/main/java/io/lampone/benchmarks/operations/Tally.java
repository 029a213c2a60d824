package io.lampone.benchmarks.operations;

import java.util.ArrayList;
import java.util.List;

/** What a comparison has come to, round by round. */
final class Tally {

  private static final double NANOS_PER_MICRO = 1_000;

  private final Slice measured = new Slice();
  private final Slice unit = new Slice();

  /** Of each round: median latency by median latency. */
  private final List<Double> ratios = new ArrayList<>();

  /**
   * Adds a round. One in which a side has no success, for all of its operations failed, counts not.
   */
  void add(Slice roundMeasured, Slice roundUnit) {
    measured.add(roundMeasured);
    unit.add(roundUnit);
    if (roundMeasured.operations() > 0 && roundUnit.operations() > 0) {
      ratios.add(roundMeasured.medianNanos() / roundUnit.medianNanos());
    }
  }

  /** Whether there is anything to tell. */
  boolean isEmpty() {
    return ratios.isEmpty();
  }

  /**
   * Sums up.
   *
   * @throws IllegalStateException if there is nothing
   */
  Figures figures(Row row, int valueBytes) {
    if (isEmpty()) {
      throw new IllegalStateException("no round succeeded, row=" + row.label());
    }
    return new Figures(
        row,
        valueBytes,
        Quartiles.of(ratios),
        times(measured),
        times(unit),
        measured.operations() + unit.operations());
  }

  private static Figures.Times times(Slice slice) {
    return new Figures.Times(
        slice.medianNanos() / NANOS_PER_MICRO,
        slice.cpuNanos() / NANOS_PER_MICRO / slice.operations());
  }
}
