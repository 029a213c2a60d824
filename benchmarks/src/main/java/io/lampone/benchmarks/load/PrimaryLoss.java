package io.lampone.benchmarks.load;

import java.util.Locale;

/** Way in which a primary is lost. */
public enum PrimaryLoss {
  /** It is killed. */
  KILL,
  /** It is stopped for longer than its lease, and woken. */
  PAUSE,
  /** It hands over. */
  PLANNED;

  /** As scripts write it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
