package io.lampone.tm.core.oracle;

/** Source of commit timestamps: each is above every timestamp issued before. */
public interface CommitTimestamps {

  /** Result of {@link #next} when the bound has been reached. */
  long NONE = 0;

  /** When to come back after the bound has been reached: by then it has been extended. */
  int RETRY_AFTER_MILLIS = 10;

  /** The next timestamp, or {@link #NONE}. */
  long next();

  /**
   * The monotonic clock, in nanoseconds: timestamps that are ahead of the wall clock wait for it.
   */
  long monotonicNanos();
}
