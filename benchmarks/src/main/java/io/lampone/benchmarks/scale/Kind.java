package io.lampone.benchmarks.scale;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Kind of one operation, where that is not varied: rows by chance, any as likely. */
public enum Kind {
  /** One row is read. */
  READ(1, 0),
  /** One row is written. */
  WRITE(0, 1),
  /** One row is read, and then written. */
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

  /** Returns true if all of it happens in one row: only that can take the fast path. */
  boolean isOneRow() {
    return reads <= 1 && writes <= 1;
  }

  /** For command lines and programs. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The one that is called so. */
  public static Optional<Kind> of(String key) {
    return Arrays.stream(values()).filter(one -> one.key().equals(key)).findFirst();
  }
}
