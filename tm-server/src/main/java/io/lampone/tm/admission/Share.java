package io.lampone.tm.admission;

/** Recent use of the event loop by one connection. Event loop only. */
public final class Share {

  /** The window in which something was taken last. */
  long window = -1;

  /** The work that may be done yet; below zero after a large frame. */
  double left;

  /** Round of the event loop in which the connection was last refused. */
  long toldRound = -1;

  /** Earliest time of its return, on the monotonic clock, in nanoseconds; valid once refused. */
  long comeBackNanos;
}
