package io.lampone.cli.bench;

/** The two sides of a comparison. */
enum Side {
  MEASURED,
  UNIT;

  Side other() {
    return this == MEASURED ? UNIT : MEASURED;
  }
}
