package io.lampone.tm.admission;

/** What one connection has taken of the event loop lately. Event loop only. */
public final class Share {

  /** The window in which something was taken last. */
  long window = -1;

  /** The work that may be done yet; below zero after a large frame. */
  double left;

  /** The round of the event loop in which the connection was told last to come back later. */
  long toldRound = -1;

  /** When it was to come back, in nanoseconds of the monotonic clock; holds once it was told. */
  long comeBackNanos;
}
