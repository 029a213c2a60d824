package io.lampone.torture;

/**
 * What a run has to reach before it shows anything: on a slow machine it lasts longer for it, up to
 * {@link #LONGER} times its length.
 *
 * @param acknowledged transactions
 * @param faults that were done as planned
 */
public record Enough(long acknowledged, int faults) {

  /** The time decides alone. */
  public static final Enough ANYTHING = new Enough(0, 0);

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

  static Enough parse(String text) {
    String[] parts = text.split("-", -1);
    if (parts.length != FIELDS) {
      throw new IllegalArgumentException("not what is enough, text='" + text + "'");
    }
    return new Enough(Long.parseLong(parts[0]), Integer.parseInt(parts[1]));
  }
}
