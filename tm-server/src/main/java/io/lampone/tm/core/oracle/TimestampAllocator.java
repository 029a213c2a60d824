package io.lampone.tm.core.oracle;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Issues timestamps between the first one of the epoch and a bound that has been persisted before
 * (protocol page, section 1). They strictly increase whatever the wall clock does.
 */
public final class TimestampAllocator {

  private static final long HIGHEST_WALL_MILLIS =
      Timestamps.MAX / TimeUnit.MILLISECONDS.toNanos(1) - 1;

  private final Clock clock;
  private final long aheadNanos;

  /** The last timestamp issued; before the first one, the tick below it. */
  private long last;

  /** Every timestamp issued is below this, which is in the record; only grows. */
  private long bound;

  /** The wall clock as it was read last, as a timestamp. */
  private long wall;

  /**
   * Begins an epoch.
   *
   * @param first the first timestamp that may be issued
   * @param bound the bound that the record holds
   * @param ahead how far the bound is kept ahead of need
   */
  public TimestampAllocator(Clock clock, long first, long bound, Duration ahead) {
    if (!Timestamps.isGlobal(first) || !Timestamps.isGlobal(bound)) {
      throw new InvariantViolatedException(
          "epoch begins with wrong timestamps, first=" + first + " bound=" + bound);
    }
    this.clock = clock;
    this.aheadNanos = ahead.toNanos();
    this.last = first - Timestamps.TICK;
    this.bound = bound;
  }

  /** The first timestamp of an epoch that succeeds one with {@code oldBound}. */
  public static long firstAfter(long oldBound, Clock clock) {
    long afterOld = Math.max(oldBound + Timestamps.TICK, Timestamps.PLAIN_LIMIT);
    return Math.max(afterOld, wallTick(clock));
  }

  /** A bound that lies {@code ahead} of {@code timestamp}. */
  public static long boundAhead(long timestamp, Duration ahead) {
    return Timestamps.tick(Math.min(Timestamps.MAX - Timestamps.TICK, timestamp) + ahead.toNanos());
  }

  /**
   * Reads the wall clock for the timestamps issued next. Once for a frame: a reading costs a fifth
   * of a begin.
   */
  public void readClock() {
    wall = wallTick(clock);
  }

  /**
   * The next timestamp, or {@link CommitTimestamps#NONE} if the bound has been reached. When the
   * wall clock has not been read since the last one, or has run past the bound, counts on from the
   * last one.
   */
  public long next() {
    long following = last + Timestamps.TICK;
    if (following >= bound) {
      return CommitTimestamps.NONE;
    }
    long candidate = wall > following && wall < bound ? wall : following;
    if (candidate <= last || candidate >= bound || !Timestamps.isGlobal(candidate)) {
      throw new InvariantViolatedException(
          "timestamp out of order, timestamp=" + candidate + " last=" + last + " bound=" + bound);
    }
    last = candidate;
    return candidate;
  }

  long monotonicNanos() {
    return clock.monotonicNanos();
  }

  /** The last timestamp issued. */
  public long last() {
    return last;
  }

  /** Every timestamp issued is below this. */
  public long bound() {
    return bound;
  }

  /** The bound to persist next; never below the present one. */
  public long wantedBound() {
    return Math.max(bound, boundFor(aheadNanos));
  }

  /** Returns true if the bound should be extended before the next renewal of the lease is due. */
  public boolean needsExtension() {
    return boundFor(aheadNanos / 2) > bound;
  }

  /** Makes use of a bound that has been persisted. */
  public void extendTo(long persisted) {
    if (persisted < bound) {
      throw new InvariantViolatedException(
          "bound goes back, persisted=" + persisted + " bound=" + bound);
    }
    bound = persisted;
  }

  private long boundFor(long nanos) {
    return boundAhead(Math.max(last, wallTick(clock)), Duration.ofNanos(nanos));
  }

  private static long wallTick(Clock clock) {
    long millis = Math.max(0, Math.min(HIGHEST_WALL_MILLIS, clock.wallMillis()));
    return Timestamps.ceilingOfMillis(millis);
  }
}
