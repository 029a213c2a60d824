package io.lampone.benchmarks.operations;

import java.util.Locale;

/**
 * Tables of a comparison, for each size of value. Compared tables must have the same number of
 * cells, because a memstore with more cells is slower. Comparisons of a few percent therefore have
 * two dedicated tables.
 */
enum TableKind {
  /** Plain, beside {@link #TRANSACTIONAL}: each comparison writes as often here as there. */
  PLAIN,
  TRANSACTIONAL,
  /** Plain, the one side of the control. */
  CONTROL_A,
  /** Plain, its other side. */
  CONTROL_B,
  /** Transactional, for regular transactions only. */
  FAST_PATH_ON,
  /** Transactional, with the fast path disabled. */
  FAST_PATH_OFF;

  boolean isTransactional() {
    return this == TRANSACTIONAL || this == FAST_PATH_ON || this == FAST_PATH_OFF;
  }

  /** Returns the label for the name of a table. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
