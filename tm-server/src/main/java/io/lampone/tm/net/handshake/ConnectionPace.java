package io.lampone.tm.net.handshake;

import java.util.concurrent.TimeUnit;

/**
 * Pace at which connections are accepted. Accepting one, its handshake and its end cost the event
 * loop up to 400 microseconds. A client that has found its server stays, so after a failover all of
 * them are accepted at the full pace. While many connections end within a second, the pace is a
 * quarter of it, so that clients that are connected keep most of the loop.
 */
final class ConnectionPace {

  /** A connection that lasts less is short. */
  static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The pace falls when more than this part of a second's connections were short. */
  private static final int SHORT_PART = 8;

  private static final int SLOWER = 4;

  private final int perSecond;
  private boolean slow;

  /** When the present second began, and the short connections that have ended in it. */
  private long secondNanos;

  private int shortOnes;

  ConnectionPace(int perSecond, long nowNanos) {
    this.perSecond = perSecond;
    this.secondNanos = nowNanos;
  }

  /** Returns how long to wait after a connection that was accepted now, in nanoseconds. */
  long pauseNanos(long nowNanos) {
    look(nowNanos);
    return SECOND_NANOS / perSecond * (slow ? SLOWER : 1);
  }

  /** A connection has ended. */
  void ended(long acceptedNanos, long nowNanos) {
    look(nowNanos);
    if (nowNanos - acceptedNanos < SHORT_NANOS && ++shortOnes > perSecond / SHORT_PART) {
      slow = true;
    }
  }

  /** Slow for the rest of a second in which there were too many, and for the next one. */
  private void look(long nowNanos) {
    long seconds = (nowNanos - secondNanos) / SECOND_NANOS;
    if (seconds > 0) {
      slow = seconds == 1 && shortOnes > perSecond / SHORT_PART;
      shortOnes = 0;
      secondNanos += seconds * SECOND_NANOS;
    }
  }
}
