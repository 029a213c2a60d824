package io.lampone.tm.core.oracle;

/** Source of commit timestamps: each is above every timestamp issued before. */
public interface CommitTimestamps {

  /** Result of {@link #next} when the bound has been reached. */
  long NONE = 0;

  /** When to come back after the bound has been reached: by then it has been extended. */
  int RETRY_AFTER_MILLIS = 10;

  /** The next timestamp, or {@link #NONE}. */
  long next();

  /** The time as timestamps count it, in nanoseconds; not below the last timestamp issued. */
  long now();
}
