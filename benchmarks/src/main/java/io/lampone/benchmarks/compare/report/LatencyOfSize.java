package io.lampone.benchmarks.compare.report;

import io.lampone.benchmarks.compare.SliceFigures;
import java.util.OptionalDouble;

/**
 * Mean latency of the transactions of one size. The mean, because the median of a mix of sizes is
 * misleading: most transactions are small, and most of the time is spent in large ones.
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
