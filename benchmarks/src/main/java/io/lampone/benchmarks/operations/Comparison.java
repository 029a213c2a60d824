package io.lampone.benchmarks.operations;

import java.util.List;

/**
 * Comparison of two operations.
 *
 * @param measured in units of {@code unit}; one for each of the {@link ConnectionRotation}
 */
record Comparison(
    Row row, int valueBytes, List<MeasuredOperation> measured, List<MeasuredOperation> unit) {

  /** Sides of a comparison. */
  enum Side {
    MEASURED,
    UNIT;

    Side other() {
      return this == MEASURED ? UNIT : MEASURED;
    }
  }

  /**
   * Returns the operation of one side.
   *
   * @param seat connection whose clients execute it
   */
  MeasuredOperation of(Side side, int seat) {
    return (side == Side.MEASURED ? measured : unit).get(seat);
  }

  /** Returns true if a slice of this side must not call the transaction manager. */
  boolean mustNotAskTheManager(Side side) {
    return row.isFastPath() && side == Side.MEASURED;
  }
}
