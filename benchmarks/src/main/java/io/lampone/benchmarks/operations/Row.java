package io.lampone.benchmarks.operations;

import java.util.Optional;

/**
 * Row of the result. Its first operation is measured in units of the second.
 *
 * <p>Each has separate rows in its tables, so that it meets only versions of its own kind.
 */
public enum Row {
  FAST_GET("fast-path get / native get", 1.05, TableKind.TRANSACTIONAL, TableKind.PLAIN),
  FAST_PUT("fast-path put / native put", 1.15, TableKind.TRANSACTIONAL, TableKind.PLAIN),
  FAST_READ_WRITE(
      "fast-path read+write / (get + put)", 1.10, TableKind.TRANSACTIONAL, TableKind.PLAIN),
  REGULAR_WRITE(
      "regular one-row write transaction / native put",
      2.0,
      TableKind.TRANSACTIONAL,
      TableKind.PLAIN),
  REGULAR_READ(
      "regular one-row read transaction / native get",
      1.4,
      TableKind.TRANSACTIONAL,
      TableKind.PLAIN),
  LATEST_GET("fast-path latest get / native get", 1.40, TableKind.TRANSACTIONAL, TableKind.PLAIN),
  REGULAR_TEN(
      "regular 10-operation transaction / 10 native operations",
      0.9,
      TableKind.TRANSACTIONAL,
      TableKind.PLAIN),
  REGULAR_TEN_TOGETHER(
      "regular 10-operation transaction with a multi-get / 10 native operations",
      0.9,
      TableKind.TRANSACTIONAL,
      TableKind.PLAIN),
  REGULAR_SCAN(
      "regular scan transaction / native scan",
      Row.NO_TARGET,
      TableKind.TRANSACTIONAL,
      TableKind.PLAIN),
  FAST_PATH_ON_OFF(
      "regular transactions with the fast path enabled / disabled",
      1.03,
      TableKind.FAST_PATH_ON,
      TableKind.FAST_PATH_OFF),
  CONTROL_GET("native get / native get", Row.NO_TARGET, TableKind.CONTROL_A, TableKind.CONTROL_B),
  CONTROL_PUT("native put / native put", Row.NO_TARGET, TableKind.CONTROL_A, TableKind.CONTROL_B);

  private static final double NO_TARGET = 0;

  private final String label;
  private final double target;
  private final TableKind measured;
  private final TableKind unit;

  Row(String label, double target, TableKind measured, TableKind unit) {
    this.label = label;
    this.target = target;
    this.measured = measured;
    this.unit = unit;
  }

  /** Returns the label for people and scripts. */
  public String label() {
    return label;
  }

  /** Returns the target ratio, if there is one; controls have none. */
  public Optional<Double> target() {
    return target == NO_TARGET ? Optional.empty() : Optional.of(target);
  }

  /** Returns the table of the measured operation. */
  TableKind measuredTable() {
    return measured;
  }

  /** Returns the table of the operation that is the unit. */
  TableKind unitTable() {
    return unit;
  }

  public boolean isControl() {
    return this == CONTROL_GET || this == CONTROL_PUT;
  }

  /** Returns true if the measured operation must never call the transaction manager. */
  boolean isFastPath() {
    return this == FAST_GET || this == LATEST_GET || this == FAST_PUT || this == FAST_READ_WRITE;
  }
}
