package io.lampone.benchmarks.compare;

/**
 * Access of a transaction to one row: a read, a write, or first the one and then the other.
 *
 * @param row its number
 */
public record Access(int row, boolean reads, boolean writes) {

  static Access read(int row) {
    return new Access(row, true, false);
  }

  static Access write(int row) {
    return new Access(row, false, true);
  }

  static Access readAndWrite(int row) {
    return new Access(row, true, true);
  }
}
