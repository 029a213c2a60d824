package io.lampone.tm.admission;

/** What one connection has taken of the event loop lately. Event loop only. */
public final class Share {

  /** The window in which something was taken last. */
  long window = -1;

  /** The work that may be done yet; below zero after a large frame. */
  double left;

  /** Whether the connection has been told in this window to come back later. */
  boolean told;
}
