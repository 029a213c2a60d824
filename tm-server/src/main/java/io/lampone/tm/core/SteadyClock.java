package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time of timestamps: what this process's monotonic clock has counted since it began, drawn
 * towards the wall clock by 500 millionths of it. A wall clock that steps does not take timestamps
 * along: values with a time to live would be gone for all clients, and would stay gone when it is
 * put right. One that is more than a second ahead is not followed at all, and that is said.
 *
 * <p>{@link #wallMillis} is asked for each timestamp and looks at the wall clock only, as before;
 * what it adds is found out in {@link #tick}, and at once when the wall clock has stepped since.
 * Event loop only, but for {@link #aheadMillis}.
 */
final class SteadyClock implements Clock {

  private static final Logger LOG = LoggerFactory.getLogger(SteadyClock.class);

  /** A wall clock that is further ahead is not followed. */
  static final Duration FOLLOWED = Duration.ofSeconds(1);

  private static final long SLEW_DIVISOR = 2_000; // 500 millionths
  private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final Clock clock;
  private final RareLine line;

  /** The time that was shown at {@link #lastNanos}, to the nanosecond. */
  private long shownNanos;

  private long lastNanos;

  /** Wall-clock time then, and the offset added to it since. */
  private long lastWallMillis;

  private long offsetMillis;

  /** Lead of the wall clock; below zero if it is behind. */
  private volatile long aheadMillis;

  SteadyClock(Clock clock) {
    this.clock = clock;
    this.line = new RareLine(clock);
    this.lastNanos = clock.monotonicNanos();
    this.lastWallMillis = clock.wallMillis();
    this.shownNanos = lastWallMillis * NANOS_PER_MILLI;
  }

  @Override
  public long wallMillis() {
    long wall = clock.wallMillis();
    if (wall < lastWallMillis || wall - lastWallMillis > FOLLOWED.toMillis()) {
      // It has stepped, or there has been no tick for long: the monotonic clock knows.
      synchronize(wall);
    }
    return wall + offsetMillis;
  }

  @Override
  public long monotonicNanos() {
    return clock.monotonicNanos();
  }

  /** To be called several times a second. */
  void tick() {
    synchronize(clock.wallMillis());
  }

  /** Returns how far the wall clock is ahead of the time of timestamps; below zero if behind. */
  long aheadMillis() {
    return aheadMillis;
  }

  /** Begins anew with the wall clock: for who has issued no timestamp yet. */
  void restart() {
    lastNanos = clock.monotonicNanos();
    lastWallMillis = clock.wallMillis();
    shownNanos = lastWallMillis * NANOS_PER_MILLI;
    offsetMillis = 0;
    aheadMillis = 0;
  }

  private void synchronize(long wall) {
    long now = clock.monotonicNanos();
    long elapsed = Math.max(0, now - lastNanos);
    lastNanos = now;
    shownNanos += elapsed;
    long ahead = wall - shownNanos / NANOS_PER_MILLI;
    if (ahead > FOLLOWED.toMillis()) {
      line.happened()
          .ifPresent(
              times ->
                  LOG.error(
                      "the wall clock is ahead of what has been counted since the start, and is not"
                          + " followed: put it right, or restart this process if it is right,"
                          + " aheadMillis={} times={}",
                      ahead,
                      times));
    } else {
      long most = elapsed / SLEW_DIVISOR;
      shownNanos += Math.max(-most, Math.min(most, ahead * NANOS_PER_MILLI));
    }
    aheadMillis = ahead;
    lastWallMillis = wall;
    offsetMillis = shownNanos / NANOS_PER_MILLI - wall;
  }
}
