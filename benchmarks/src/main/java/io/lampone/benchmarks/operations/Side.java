package io.lampone.benchmarks.operations;

/** The two sides of a comparison. */
enum Side {
  MEASURED,
  UNIT;

  Side other() {
    return this == MEASURED ? UNIT : MEASURED;
  }
}
