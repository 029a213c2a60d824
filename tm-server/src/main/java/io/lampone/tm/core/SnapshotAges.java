package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * Tracker of the snapshots that are older than the retention (protocol page, section 7).
 *
 * <p>The age of a snapshot is not read off its timestamp: that runs with the wall clock, and a step
 * of an hour would make snapshots old that were begun a moment ago. Instead it is remembered, from
 * time to time, what had been issued by then, on the monotonic clock. Whatever is issued later is
 * larger. So what was the last timestamp one retention ago can be the safe point now: every
 * snapshot below it was issued before that moment, whatever the wall clock has done.
 *
 * <p>A primary knows only what it has issued itself: in its first retention nothing is old enough.
 */
final class SnapshotAges {

  /** The safe point lags behind by up to one of so many parts of the retention. */
  static final int SAMPLES = 64;

  private final Clock clock;
  private final long retentionNanos;
  private final long intervalNanos;

  /** A ring: a place is free again once its sample is old, and they become old in their order. */
  private final long[] nanos = new long[SAMPLES + 2];

  private final long[] timestamps = new long[SAMPLES + 2];

  /** Samples taken so far, and how many of them have been found old; the difference is kept. */
  private long taken;

  private long aged;

  /** The newest timestamp that is old enough; 0 while there is none. Only grows. */
  private long oldEnough;

  SnapshotAges(Clock clock, Duration retention) {
    this.clock = clock;
    this.retentionNanos = retention.toNanos();
    // Rounded up: so many samples span the retention, and the ring never overflows.
    this.intervalNanos = retentionNanos / SAMPLES + 1;
  }

  /** By now {@code lastTimestamp} has been issued, and whatever is issued from now on is larger. */
  void observe(long lastTimestamp) {
    long now = clock.monotonicNanos();
    forgetOld(now);
    if (taken > aged && now - nanos[place(taken - 1)] < intervalNanos) {
      return;
    }
    nanos[place(taken)] = now;
    timestamps[place(taken)] = lastTimestamp;
    taken++;
  }

  /** The newest timestamp that is known to have been issued one retention ago, or earlier. */
  OptionalLong oldEnough() {
    forgetOld(clock.monotonicNanos());
    return oldEnough == 0 ? OptionalLong.empty() : OptionalLong.of(oldEnough);
  }

  private void forgetOld(long now) {
    while (aged < taken && now - nanos[place(aged)] >= retentionNanos) {
      oldEnough = Math.max(oldEnough, timestamps[place(aged)]);
      aged++;
    }
  }

  private int place(long sample) {
    return (int) (sample % nanos.length);
  }
}
