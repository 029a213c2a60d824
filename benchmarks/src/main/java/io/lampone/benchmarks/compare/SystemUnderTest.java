package io.lampone.benchmarks.compare;

import java.util.Arrays;
import java.util.Optional;

/**
 * Contender or control of a comparison; in a ratio, the later one is divided by the earlier one.
 */
public enum SystemUnderTest {
  /** HBase's client on a plain table, without any transaction. The unit of the others. */
  NATIVE("native", "native HBase"),
  /** Control on a separate table: the difference of the two is chance. */
  NATIVE_AGAIN("native-again", "native HBase again (control)"),
  /** Batches of 25, or of 10 ms, for each of two writers of the commit table. */
  OMID("omid", "Omid default"),
  /** Batches of 1 ms. */
  OMID_ONE_MILLISECOND("omid-1ms", "Omid 1 ms"),
  /** The client writes the commit table, without batches. */
  OMID_LOW_LATENCY("omid-lowlatency", "Omid lowLatency"),
  /** Regular transactions. */
  REGULAR("lampone", "Lampone regular"),
  /** Control with a separate table and client. */
  REGULAR_AGAIN("lampone-again", "Lampone regular again (control)"),
  /** Transactions of one row by the fast path; those of several rows are regular ones. */
  FAST_PATH("fastpath", "Lampone fast path");

  private final String key;
  private final String title;

  SystemUnderTest(String key, String title) {
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

  /** Returns the contender with this key, or empty. */
  public static Optional<SystemUnderTest> of(String key) {
    return Arrays.stream(values()).filter(one -> one.key.equals(key)).findFirst();
  }

  /** Returns true if it is a control, which shows only the effect of chance. */
  public boolean isControl() {
    return this == NATIVE_AGAIN || this == REGULAR_AGAIN;
  }

  /** Returns true if it needs dependencies of this module's tests. */
  public boolean isOmid() {
    return this == OMID || this == OMID_ONE_MILLISECOND || this == OMID_LOW_LATENCY;
  }

  /** Returns true if each of its transactions has a snapshot, which decides concurrency. */
  public boolean hasSnapshots() {
    return isOmid() || this == REGULAR || this == REGULAR_AGAIN;
  }

  /** Returns true if its table is one of Lampone's. */
  boolean isLampone() {
    return this == REGULAR || this == REGULAR_AGAIN || this == FAST_PATH;
  }

  /** Returns the control that shows the effect of chance on it, if there is one. */
  public Optional<SystemUnderTest> control() {
    return switch (this) {
      case NATIVE -> Optional.of(NATIVE_AGAIN);
      case REGULAR -> Optional.of(REGULAR_AGAIN);
      default -> Optional.empty();
    };
  }

  /** Returns true if it has distinct results in this class. */
  public boolean takesPartIn(TransactionClass transactions) {
    return this != FAST_PATH || transactions != TransactionClass.TEN;
  }

  /** Returns the name of its table. */
  String table() {
    return "compare-" + key;
  }
}
