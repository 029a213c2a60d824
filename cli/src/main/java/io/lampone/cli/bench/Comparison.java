package io.lampone.cli.bench;

/**
 * Two operations side by side.
 *
 * @param measured in units of {@code unit}
 */
record Comparison(Row row, int valueBytes, Operation measured, Operation unit) {

  Operation of(Side side) {
    return side == Side.MEASURED ? measured : unit;
  }

  /** Whether a slice of this side must leave the transaction manager alone. */
  boolean mustNotAskTheManager(Side side) {
    return row.isFastPath() && side == Side.MEASURED;
  }
}
