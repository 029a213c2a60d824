package io.lampone.benchmarks.operations;

import java.util.List;

/**
 * Two operations side by side.
 *
 * @param measured in units of {@code unit}; one for each of the {@link ConnectionRotation}
 */
record Comparison(
    Row row, int valueBytes, List<MeasuredOperation> measured, List<MeasuredOperation> unit) {

  /** The two sides of a comparison. */
  enum Side {
    MEASURED,
    UNIT;

    Side other() {
      return this == MEASURED ? UNIT : MEASURED;
    }
  }

  /**
   * One of them.
   *
   * @param seat whose clients carry it out
   */
  MeasuredOperation of(Side side, int seat) {
    return (side == Side.MEASURED ? measured : unit).get(seat);
  }

  /** Returns true if a slice of this side must not call the transaction manager. */
  boolean mustNotAskTheManager(Side side) {
    return row.isFastPath() && side == Side.MEASURED;
  }
}
