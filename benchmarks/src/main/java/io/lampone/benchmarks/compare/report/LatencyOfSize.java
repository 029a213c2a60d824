package io.lampone.benchmarks.compare.report;

import io.lampone.benchmarks.compare.SliceFigures;
import java.util.OptionalDouble;

/**
 * Mean latency of the transactions of one size. Means, because a mix of sizes has no median that
 * says anything: most of its transactions are small, and most of its time goes by in large ones.
 *
 * @param rows the size
 */
record LatencyOfSize(int rows) implements Quantity {

  @Override
  public String key() {
    return "latencyOfSize" + rows;
  }

  @Override
  public OptionalDouble of(SliceFigures slice) {
    return slice.client().bySize().meanMicros(rows);
  }
}
