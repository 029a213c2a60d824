package io.lampone.benchmarks.operations.figures;

import io.lampone.benchmarks.operations.Row;
import io.lampone.benchmarks.report.Quartiles;
import java.util.ArrayList;
import java.util.List;

/** Results of a comparison, round by round. */
public final class ComparisonTally {

  private static final double NANOS_PER_MICRO = 1_000;

  private final OperationSlice measured = new OperationSlice();
  private final OperationSlice unit = new OperationSlice();

  /** Ratio of the median latencies of each round. */
  private final List<Double> ratios = new ArrayList<>();

  /**
   * Adds a round. One in which a side has no success, for all of its operations failed, counts not.
   */
  public void add(OperationSlice roundMeasured, OperationSlice roundUnit) {
    measured.add(roundMeasured);
    unit.add(roundUnit);
    if (roundMeasured.operations() > 0 && roundUnit.operations() > 0) {
      ratios.add(roundMeasured.medianNanos() / roundUnit.medianNanos());
    }
  }

  /** Returns true if there are no results. */
  public boolean isEmpty() {
    return ratios.isEmpty();
  }

  /**
   * Returns the figures.
   *
   * @throws IllegalStateException if there are no samples
   */
  public RowFigures figures(Row row, int valueBytes) {
    if (isEmpty()) {
      throw new IllegalStateException("no round succeeded, row=" + row.label());
    }
    return new RowFigures(
        row,
        valueBytes,
        Quartiles.of(ratios),
        times(measured),
        times(unit),
        measured.operations() + unit.operations());
  }

  private static RowFigures.Times times(OperationSlice slice) {
    return new RowFigures.Times(
        slice.medianNanos() / NANOS_PER_MICRO,
        slice.cpuNanos() / NANOS_PER_MICRO / slice.operations());
  }
}
