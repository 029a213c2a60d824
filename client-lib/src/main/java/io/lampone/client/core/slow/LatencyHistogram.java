package io.lampone.client.core.slow;

import io.lampone.client.ClientMetrics.Latency;
import io.lampone.protocol.tm.ClientWork;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/** Durations counted in the buckets of {@link ClientWork}. Thread-safe. */
final class LatencyHistogram {

  private final LongAdder[] counts = new LongAdder[ClientWork.BOUNDS + 1];
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

  long inBucket(int bucket) {
    return counts[bucket].sum();
  }

  Latency snapshot() {
    SortedMap<Long, Long> buckets = new TreeMap<>();
    long count = 0;
    for (int i = 0; i < counts.length; i++) {
      long inBucket = inBucket(i);
      count += inBucket;
      buckets.put(ClientWork.boundOf(i), inBucket);
    }
    return new Latency(count, sum.sum(), buckets);
  }

  /** Returns the first bucket whose bound is not below the duration. */
  static int bucketOf(long nanos) {
    if (nanos <= 1L << ClientWork.FIRST_SHIFT) {
      return 0;
    }
    int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos - 1);
    int upperHalf = (int) (nanos - 1 >>> shift - 1) & 1;
    return Math.min(2 * (shift - ClientWork.FIRST_SHIFT) + 1 + upperHalf, ClientWork.BOUNDS);
  }
}
