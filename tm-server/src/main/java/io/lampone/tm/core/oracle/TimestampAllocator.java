package io.lampone.tm.core.oracle;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Issues timestamps from the first one of the epoch up to a persisted bound (protocol page, section
 * 1). They strictly increase even if the wall clock goes back.
 */
public final class TimestampAllocator {

  private static final long HIGHEST_WALL_MILLIS =
      Timestamps.MAX / TimeUnit.MILLISECONDS.toNanos(1) - 1;

  /**
   * Distance of the last timestamp from the wall clock up to which blocks are handed out. Ticks are
   * nanoseconds.
   */
  private static final long BLOCK_AHEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Clock clock;
  private final long aheadNanos;

  /** The last timestamp issued; initially one tick below the first one. */
  private long last;

  /** Exclusive upper bound of issued timestamps, as persisted in the record; never decreases. */
  private long bound;

  /** The last reading of the wall clock, as a timestamp. */
  private long wall;

  /**
   * Starts an epoch.
   *
   * @param first the first timestamp to issue
   * @param bound the bound in the record
   * @param ahead how far ahead of need the bound is extended
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

  /** Returns the first timestamp of an epoch that succeeds one with {@code oldBound}. */
  public static long firstAfter(long oldBound, Clock clock) {
    long afterOld = Math.max(oldBound + Timestamps.TICK, Timestamps.PLAIN_LIMIT);
    return Math.max(afterOld, wallTick(clock));
  }

  /** Returns a bound {@code ahead} of {@code timestamp}. */
  public static long boundAhead(long timestamp, Duration ahead) {
    return Timestamps.tick(Math.min(Timestamps.MAX - Timestamps.TICK, timestamp) + ahead.toNanos());
  }

  /**
   * Reads the wall clock for the timestamps issued next. Called once per frame, because a reading
   * costs a fifth of a begin.
   */
  public void readClock() {
    wall = wallTick(clock);
  }

  /**
   * Returns the next timestamp, or {@link CommitTimestamps#NONE} at the bound. Counts on from the
   * last timestamp if the wall clock has not been read since, or is past the bound.
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

  /**
   * Takes up to {@code wanted} consecutive timestamps and returns how many; they end at {@link
   * #last}. Returns 0 while the timestamps are ahead of the wall clock, as blocks must not move
   * them away from the time of day.
   */
  int block(int wanted) {
    if (wanted == 0 || last - wall > BLOCK_AHEAD_NANOS) {
      return 0;
    }
    long first = next();
    if (first == CommitTimestamps.NONE) {
      return 0;
    }
    long more = Math.min(wanted - 1, (bound - Timestamps.TICK - first) / Timestamps.TICK);
    last = first + more * Timestamps.TICK;
    return (int) more + 1;
  }

  long monotonicNanos() {
    return clock.monotonicNanos();
  }

  /** Returns the last timestamp issued. */
  public long last() {
    return last;
  }

  /** Returns the exclusive upper bound of issued timestamps. */
  public long bound() {
    return bound;
  }

  /** Returns the bound to persist next; never below the current one. */
  public long wantedBound() {
    return Math.max(bound, boundFor(aheadNanos));
  }

  /** Returns true if the bound should be extended before the next renewal of the lease is due. */
  public boolean needsExtension() {
    return boundFor(aheadNanos / 2) > bound;
  }

  /** Adopts a bound that has been persisted. */
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
