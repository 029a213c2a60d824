package io.lampone.tm.metrics;

import com.codahale.metrics.Reservoir;
import com.codahale.metrics.Snapshot;
import io.lampone.protocol.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts values in buckets whose width is an eighth of their power of two, so that a quantile is
 * wrong by at most an eighth. Unlike a sampling reservoir, it does not allocate for a value and
 * misses no peak.
 *
 * <p>A snapshot covers the current half and the previous one. A half ends at the first snapshot
 * after its minimum age, so that writers need not read a clock; without snapshots for an hour, the
 * next one covers that hour.
 */
public final class LogReservoir implements Reservoir {

  private static final int SUB_BITS = 3;
  private static final int SUB_BUCKETS = 1 << SUB_BITS;
  private static final int BUCKETS = (Long.SIZE - SUB_BITS) * SUB_BUCKETS;
  private static final long HALF_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Clock clock;

  /** Guarded by this. */
  private AtomicLongArray before = new AtomicLongArray(BUCKETS);

  /** Start of {@link #present}; guarded by this. */
  private long sinceNanos;

  /** Replaced under the lock, read by writers without it; a late writer counts in the old half. */
  private volatile AtomicLongArray present = new AtomicLongArray(BUCKETS);

  public LogReservoir(Clock clock) {
    this.clock = clock;
    this.sinceNanos = clock.monotonicNanos();
  }

  @Override
  public void update(long value) {
    present.incrementAndGet(bucketOf(Math.max(0, value)));
  }

  @Override
  public int size() {
    return getSnapshot().size();
  }

  @Override
  public synchronized Snapshot getSnapshot() {
    long[] counts = new long[BUCKETS];
    AtomicLongArray now = present;
    for (int i = 0; i < BUCKETS; i++) {
      counts[i] = before.get(i) + now.get(i);
    }
    if (clock.monotonicNanos() - sinceNanos >= HALF_NANOS) {
      sinceNanos = clock.monotonicNanos();
      before = now;
      present = new AtomicLongArray(BUCKETS);
    }
    return new LogSnapshot(counts);
  }

  static int bucketOf(long value) {
    if (value < SUB_BUCKETS) {
      return (int) value;
    }
    int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(value) - SUB_BITS;
    return (shift + 1) * SUB_BUCKETS + (int) (value >>> shift & SUB_BUCKETS - 1);
  }

  /** Returns the highest value of a bucket. */
  static long highestOf(int bucket) {
    if (bucket < SUB_BUCKETS) {
      return bucket;
    }
    int shift = bucket / SUB_BUCKETS - 1;
    long lowest = (long) (SUB_BUCKETS + bucket % SUB_BUCKETS) << shift;
    return lowest + (1L << shift) - 1;
  }
}
