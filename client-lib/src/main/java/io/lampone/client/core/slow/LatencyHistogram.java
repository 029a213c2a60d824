package io.lampone.client.core.slow;

import io.lampone.client.ClientMetrics.Latency;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Durations counted in buckets with fixed bounds, two for each power of two from 16 us to 34 s, so
 * that the histograms of several clients can be added. Thread-safe.
 */
final class LatencyHistogram {

  private static final int FIRST_SHIFT = 14;
  private static final int LAST_SHIFT = 35;

  /** Number of bounds; one more bucket has what is longer. */
  static final int BOUNDS = 2 * (LAST_SHIFT - FIRST_SHIFT) + 1;

  private final LongAdder[] counts = new LongAdder[BOUNDS + 1];
  private final LongAdder sum = new LongAdder();

  LatencyHistogram() {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = new LongAdder();
    }
  }

  void add(long nanos) {
    counts[bucketOf(nanos)].increment();
    sum.add(nanos);
  }

  Latency snapshot() {
    SortedMap<Long, Long> buckets = new TreeMap<>();
    long count = 0;
    for (int i = 0; i < counts.length; i++) {
      long inBucket = counts[i].sum();
      count += inBucket;
      buckets.put(i == BOUNDS ? Long.MAX_VALUE : boundOf(i), inBucket);
    }
    return new Latency(count, sum.sum(), buckets);
  }

  /** Returns the first bucket whose bound is not below the duration. */
  static int bucketOf(long nanos) {
    if (nanos <= 1L << FIRST_SHIFT) {
      return 0;
    }
    int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos - 1);
    int upperHalf = (int) (nanos - 1 >>> shift - 1) & 1;
    return Math.min(2 * (shift - FIRST_SHIFT) + 1 + upperHalf, BOUNDS);
  }

  /** Returns the largest duration of a bucket. */
  static long boundOf(int bucket) {
    long power = 1L << FIRST_SHIFT + bucket / 2;
    return bucket % 2 == 0 ? power : power + power / 2;
  }
}
