package io.lampone.tm.core.oracle;

import io.lampone.protocol.time.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Reading of a wall clock together with the monotonic clock, which reveals whether the wall clock
 * has stepped since. A process that pauses between the two makes the wall clock seem ahead later,
 * never behind.
 *
 * @param wallMillis the wall clock, in ms since 1970
 * @param monotonicNanos the monotonic clock right after it
 */
public record WallReading(long wallMillis, long monotonicNanos) {

  /** Reads the clock. */
  public static WallReading of(Clock clock) {
    long wallMillis = clock.wallMillis();
    return new WallReading(wallMillis, clock.monotonicNanos());
  }

  /** Returns the steps of the wall clock between this reading and a later one, in ms. */
  public long steppedMillis(WallReading later) {
    return later.wallMillis - wallMillis - tookMillis(later);
  }

  /** Returns the time between this reading and a later one, in ms. */
  public long tookMillis(WallReading later) {
    return TimeUnit.NANOSECONDS.toMillis(later.monotonicNanos - monotonicNanos);
  }
}
