package io.lampone.tm.core.oracle;

/** Source of commit timestamps; each is above every timestamp issued before. */
public interface CommitTimestamps {

  /** Result of {@link #next} at the bound. */
  long NONE = 0;

  /** Pause after the bound has been reached; by then it has been extended. */
  int RETRY_AFTER_MILLIS = 10;

  /**
   * Returns the next timestamp, or {@link #NONE}.
   *
   * @param reported whether the client will report the end of the transaction
   */
  long next(boolean reported);

  /**
   * Returns the monotonic clock in nanoseconds, by which the age of assigned timestamps is
   * measured.
   */
  long monotonicNanos();
}
