package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * Tracks which snapshots are older than the retention (protocol page, section 7).
 *
 * <p>The age of a snapshot does not follow from its timestamp, which advances with the wall clock:
 * a step of an hour would age snapshots that have just begun. Instead the last timestamp issued is
 * sampled on the monotonic clock. Later timestamps are larger. So the last timestamp of one
 * retention ago can be the safe point now: every snapshot below it was issued before that moment,
 * whatever the wall clock has done.
 *
 * <p>A primary knows only the timestamps that it has issued: in its first retention none is old
 * enough.
 */
final class SnapshotAges {

  /** Number of samples per retention; the safe point lags by up to one interval. */
  static final int SAMPLES = 64;

  private final Clock clock;
  private final long retentionNanos;
  private final long intervalNanos;

  /** Ring of samples: a position is free again once its sample is old; samples age in order. */
  private final long[] nanos = new long[SAMPLES + 2];

  private final long[] timestamps = new long[SAMPLES + 2];

  /** Number of samples taken, and of those found old; the others are kept. */
  private long taken;

  private long aged;

  /** The newest timestamp that is old enough; 0 = none yet. Never decreases. */
  private long oldEnough;

  SnapshotAges(Clock clock, Duration retention) {
    this.clock = clock;
    this.retentionNanos = retention.toNanos();
    // Rounded up: so many samples span the retention, and the ring never overflows.
    this.intervalNanos = retentionNanos / SAMPLES + 1;
  }

  /** Records that {@code lastTimestamp} has been issued by now; later ones are larger. */
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

  /** Returns the newest timestamp known to have been issued at least one retention ago. */
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
