package io.lampone.tm.admission;

/** Recent use of the event loop by one connection. Event loop only. */
public final class Share {

  /** The last window in which a frame was admitted. */
  long window = -1;

  /** The remaining work; negative after a large frame. */
  double left;

  /** Round of the event loop in which the connection was last refused. */
  long toldRound = -1;

  /** Earliest time of its return, on the monotonic clock, in nanoseconds; valid once refused. */
  long comeBackNanos;
}
