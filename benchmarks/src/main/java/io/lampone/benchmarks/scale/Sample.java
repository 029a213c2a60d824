package io.lampone.benchmarks.scale;

import io.lampone.benchmarks.Latencies;
import java.util.concurrent.TimeUnit;

/**
 * Figures of a slice.
 *
 * @param aborted transactions that ended without a trace; they are not repeated
 * @param nanos until the last operation had ended
 * @param latencies of operations that succeeded
 */
record Sample(long aborted, long nanos, Latencies latencies) {

  double perSecond() {
    return latencies.count() * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
  }

  /** Returns the sum of both. */
  Sample plus(Sample more) {
    Latencies both = new Latencies();
    both.add(latencies);
    both.add(more.latencies);
    return new Sample(aborted + more.aborted, nanos + more.nanos, both);
  }
}
