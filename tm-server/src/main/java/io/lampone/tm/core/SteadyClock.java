package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import io.lampone.tm.core.oracle.WallReading;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clock of timestamps: the monotonic clock from the start of the process, slewed towards the
 * wall clock at 500 ppm. Timestamps do not follow a step of the wall clock: values with a time to
 * live would expire for all clients, and remain expired after a correction. A wall clock more than
 * a second ahead is not followed at all, and a warning is logged.
 *
 * <p>{@link #wallMillis} is called for each frame and reads only the wall clock; the offset is
 * computed in {@link #tick}, and at once after a step of the wall clock. Event loop only, except
 * {@link #aheadMillis}.
 */
final class SteadyClock implements Clock {

  private static final Logger LOG = LoggerFactory.getLogger(SteadyClock.class);

  /** Maximum lead of a wall clock that is followed. */
  static final Duration FOLLOWED = Duration.ofSeconds(1);

  private static final long SLEW_DIVISOR = 2_000; // 500 ppm
  private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final Clock clock;
  private final RareLine line;

  /** The time shown at {@link #lastNanos}, in nanoseconds. */
  private long shownNanos;

  private long lastNanos;

  /** The wall clock at that time, and the offset added to it since. */
  private long lastWallMillis;

  private long offsetMillis;

  /** Lead of the wall clock; negative if it is behind. */
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
      // A step, or no tick for long: compute from the monotonic clock.
      synchronize(wall);
    }
    return wall + offsetMillis;
  }

  @Override
  public long monotonicNanos() {
    return clock.monotonicNanos();
  }

  /** Updates the offset; to be called several times a second. */
  void tick() {
    synchronize(clock.wallMillis());
  }

  /** Returns the lead of the wall clock over the time of timestamps; negative if behind. */
  long aheadMillis() {
    return aheadMillis;
  }

  /** Returns the steps of the wall clock between a reading and the last tick, in ms. */
  long steppedMillis(WallReading reading) {
    return reading.steppedMillis(new WallReading(lastWallMillis, lastNanos));
  }

  /**
   * Restarts at the wall clock as the last tick has read it, which is the one that was judged: only
   * before any timestamp has been issued.
   */
  void restart() {
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
