package io.lampone.benchmarks.load;

import java.util.Locale;

/** Way in which a primary is lost. */
public enum PrimaryLoss {
  /** Kill of the process. */
  KILL,
  /** Stop for longer than its lease, then resumption. */
  PAUSE,
  /** Planned transfer of the leadership. */
  PLANNED;

  /** Returns the name for scripts. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
