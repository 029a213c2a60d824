package io.lampone.faultlab.work;

import io.lampone.faultlab.event.EventCounts;

/** Work of the threads of a client. Thread-safe: all threads of a client share it. */
public interface LabWorkload {

  /** One transaction, or one operation of the fast path. */
  void step(LabClientSession session);

  /** Returns the events that it has counted besides those of the client. */
  default EventCounts events() {
    return EventCounts.NONE;
  }
}
