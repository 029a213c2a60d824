package io.lampone.tm.net.handshake;

import java.util.concurrent.TimeUnit;

/**
 * Pace of accepting connections. Accepting a connection, its handshake and its end cost the event
 * loop up to 400 microseconds. A client that has found its server stays, so after a failover all
 * clients are accepted at the full pace. While many connections end within a second, the pace is a
 * quarter, so that connected clients keep most of the event loop.
 */
final class ConnectionPace {

  /** Maximum duration of a short connection. */
  static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The pace falls if more than one in so many of a second's connections were short. */
  private static final int SHORT_PART = 8;

  private static final int SLOWER = 4;

  private final int perSecond;
  private boolean slow;

  /** Start of the current second, and number of short connections that ended in it. */
  private long secondNanos;

  private int shortOnes;

  ConnectionPace(int perSecond, long nowNanos) {
    this.perSecond = perSecond;
    this.secondNanos = nowNanos;
  }

  /** Returns the pause after a connection accepted now, in nanoseconds. */
  long pauseNanos(long nowNanos) {
    look(nowNanos);
    return SECOND_NANOS / perSecond * (slow ? SLOWER : 1);
  }

  /** Records the end of a connection. */
  void ended(long acceptedNanos, long nowNanos) {
    look(nowNanos);
    if (nowNanos - acceptedNanos < SHORT_NANOS && ++shortOnes > perSecond / SHORT_PART) {
      slow = true;
    }
  }

  /** Stays slow for the rest of a second with too many short connections, and for the next one. */
  private void look(long nowNanos) {
    long seconds = (nowNanos - secondNanos) / SECOND_NANOS;
    if (seconds > 0) {
      slow = seconds == 1 && shortOnes > perSecond / SHORT_PART;
      shortOnes = 0;
      secondNanos += seconds * SECOND_NANOS;
    }
  }
}
