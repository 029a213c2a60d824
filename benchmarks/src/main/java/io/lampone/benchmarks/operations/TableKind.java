package io.lampone.benchmarks.operations;

import java.util.Locale;

/**
 * The tables of a comparison, for each size of value. What is compared must hold equally much: a
 * memstore with more cells is slower. So who measures a few percent has two tables of its own.
 */
enum TableKind {
  /** Plain, beside {@link #TRANSACTIONAL}: each comparison writes as often here as there. */
  PLAIN,
  TRANSACTIONAL,
  /** Plain, the one side of the control. */
  CONTROL_A,
  /** Plain, its other side. */
  CONTROL_B,
  /** Transactional, for regular transactions alone. */
  FAST_PATH_ON,
  /** The same with the fast path switched off. */
  FAST_PATH_OFF;

  boolean isTransactional() {
    return this == TRANSACTIONAL || this == FAST_PATH_ON || this == FAST_PATH_OFF;
  }

  /** For the name of a table. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
