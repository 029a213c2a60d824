package io.lampone.benchmarks.compare.report;

import io.lampone.benchmarks.compare.SliceFigures;
import java.util.OptionalDouble;

/** Figure of a slice by which contenders are compared. */
interface Quantity {

  /** Returns the key for programs and the head of a column. */
  String key();

  /** Returns the figure; empty if no transaction was committed, or if unknown. */
  OptionalDouble of(SliceFigures slice);
}
