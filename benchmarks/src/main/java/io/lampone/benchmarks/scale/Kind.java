package io.lampone.benchmarks.scale;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Kind of one operation, where it is not varied: uniformly random rows. */
public enum Kind {
  /** Read of one row. */
  READ(1, 0),
  /** Write of one row. */
  WRITE(0, 1),
  /** Read of one row, followed by a write. */
  READ_WRITE(1, 1),
  /** Three rows are read and two others written, in turns. */
  FIVE(3, 2),
  /** Five rows are read and five others written, in turns. */
  TEN(5, 5);

  private final int reads;
  private final int writes;

  Kind(int reads, int writes) {
    this.reads = reads;
    this.writes = writes;
  }

  int reads() {
    return reads;
  }

  int writes() {
    return writes;
  }

  /** Returns true if the operation uses one row, as the fast path requires. */
  boolean isOneRow() {
    return reads <= 1 && writes <= 1;
  }

  /** Returns the key for command lines and programs. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the kind with this key, or empty. */
  public static Optional<Kind> of(String key) {
    return Arrays.stream(values()).filter(one -> one.key().equals(key)).findFirst();
  }
}
