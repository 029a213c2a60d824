package io.lampone.protocol.time;

/**
 * Source of time. The two readings are unrelated: the wall clock may jump in either direction; the
 * monotonic clock never goes back and has no meaning outside this process.
 */
public interface Clock {

  /** Milliseconds since 1970-01-01T00:00Z by the operating system's wall clock. */
  long wallMillis();

  /** Nanoseconds on a monotonic clock; only differences are meaningful. */
  long monotonicNanos();
}
