package io.lampone.protocol.time;

/**
 * Time as the protocol sees it. The two readings have nothing to do with each other: the wall clock
 * may jump either way, the monotonic one never goes back and means nothing outside this process.
 */
public interface Clock {

  /** Milliseconds since 1970-01-01T00:00Z, as the operating system believes. */
  long wallMillis();

  /** Nanoseconds on a monotonic clock; only differences mean anything. */
  long monotonicNanos();
}
