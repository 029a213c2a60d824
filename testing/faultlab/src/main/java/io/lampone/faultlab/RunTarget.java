package io.lampone.faultlab;

/**
 * Minimum that a run has to reach before it is conclusive; on a slow machine it lasts longer for
 * it, up to {@link #LONGER} times its length.
 *
 * @param acknowledged transactions
 * @param faults that were done as planned
 */
public record RunTarget(long acknowledged, int faults) {

  /** No minimum: only the time decides. */
  public static final RunTarget ANYTHING = new RunTarget(0, 0);

  /** No run lasts more than so many times its length. */
  static final int LONGER = 8;

  private static final int FIELDS = 2;

  boolean isReached(long acknowledgedSoFar, int faultsSoFar) {
    return acknowledgedSoFar >= acknowledged && faultsSoFar >= faults;
  }

  /** Text that {@link #parse} reads. */
  @Override
  public String toString() {
    return acknowledged + "-" + faults;
  }

  static RunTarget parse(String text) {
    String[] parts = text.split("-", -1);
    if (parts.length != FIELDS) {
      throw new IllegalArgumentException("not what is enough, text='" + text + "'");
    }
    return new RunTarget(Long.parseLong(parts[0]), Integer.parseInt(parts[1]));
  }
}
