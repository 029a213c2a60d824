package io.lampone.benchmarks.compare;

import java.util.Arrays;
import java.util.Optional;

/** Classes of transactions; see {@link Rows#next}. */
public enum TransactionClass {
  READ("read", "one row read"),
  WRITE("write", "one row written"),
  READ_WRITE("read-write", "one row read and written"),
  MIX("mix", "random mix of 1 to 10 rows"),
  BRWC("brwc", "the same, but one in five reads and writes one row"),
  TEN("ten", "5 rows read, 5 written");

  private final String key;
  private final String title;

  TransactionClass(String key, String title) {
    this.key = key;
    this.title = title;
  }

  /** Returns the key for command lines and programs. */
  public String key() {
    return key;
  }

  /** Returns the title for tables. */
  public String title() {
    return title;
  }

  /** Returns true if its transactions differ in the number of rows that they access. */
  public boolean hasSizes() {
    return this == MIX || this == BRWC;
  }

  /** Returns the class with this key, or empty. */
  public static Optional<TransactionClass> of(String key) {
    return Arrays.stream(values()).filter(one -> one.key.equals(key)).findFirst();
  }
}
