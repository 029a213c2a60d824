package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import java.time.Duration;

/** A clock that goes when it is told to. */
public final class ManualClock implements Clock {

  public static final long START_MILLIS = 1_700_000_000_000L;

  private long wallMillis = START_MILLIS;
  private long monotonicNanos = -5; // near zero, where a comparison without a difference goes wrong
  private Duration pause = Duration.ZERO;

  public void advance(Duration duration) {
    wallMillis += duration.toMillis();
    monotonicNanos += duration.toNanos();
  }

  public void stepWall(Duration duration) {
    wallMillis += duration.toMillis();
  }

  /** Advances at the next look at the wall clock, as if the process had been paused there. */
  void pauseAtNextReading(Duration duration) {
    pause = duration;
  }

  @Override
  public long wallMillis() {
    if (!pause.isZero()) {
      advance(pause);
      pause = Duration.ZERO;
    }
    return wallMillis;
  }

  @Override
  public long monotonicNanos() {
    return monotonicNanos;
  }
}
