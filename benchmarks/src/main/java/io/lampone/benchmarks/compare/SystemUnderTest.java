package io.lampone.benchmarks.compare;

import java.util.Arrays;
import java.util.Optional;

/** What is compared; in a ratio, the later one is divided by the earlier one. */
public enum SystemUnderTest {
  /** HBase's client on a plain table, without any transaction. The unit of the others. */
  NATIVE("native", "native HBase"),
  /** The same once more, on a table of its own: what the two differ by is chance. */
  NATIVE_AGAIN("native-again", "native HBase again (control)"),
  /** Batches of 25 for each of two writers of the commit table, or what came within 10 ms. */
  OMID("omid", "Omid default"),
  /** The same with 1 ms. */
  OMID_ONE_MILLISECOND("omid-1ms", "Omid 1 ms"),
  /** The client writes the commit table, and nothing is gathered. */
  OMID_LOW_LATENCY("omid-lowlatency", "Omid lowLatency"),
  /** Regular transactions. */
  REGULAR("lampone", "Lampone regular"),
  /** The same once more, on a table and with a client of its own. */
  REGULAR_AGAIN("lampone-again", "Lampone regular again (control)"),
  /** Transactions of one row by the fast path; those of several rows are regular ones. */
  FAST_PATH("fastpath", "Lampone fast path");

  private final String key;
  private final String title;

  SystemUnderTest(String key, String title) {
    this.key = key;
    this.title = title;
  }

  /** For command lines and programs. */
  public String key() {
    return key;
  }

  /** For tables. */
  public String title() {
    return title;
  }

  /** The one that is called so. */
  public static Optional<SystemUnderTest> of(String key) {
    return Arrays.stream(values()).filter(one -> one.key.equals(key)).findFirst();
  }

  /** Whether it only says what chance does. */
  public boolean isControl() {
    return this == NATIVE_AGAIN || this == REGULAR_AGAIN;
  }

  /** Whether it needs what is among the tests of this module only. */
  public boolean isOmid() {
    return this == OMID || this == OMID_ONE_MILLISECOND || this == OMID_LOW_LATENCY;
  }

  /** Whether every transaction of it has a snapshot, by which others are concurrent or not. */
  public boolean hasSnapshots() {
    return isOmid() || this == REGULAR || this == REGULAR_AGAIN;
  }

  /** Whether its table is one of Lampone's. */
  boolean isLampone() {
    return this == REGULAR || this == REGULAR_AGAIN || this == FAST_PATH;
  }

  /** What it is compared with to see what chance does, if it has such a control. */
  public Optional<SystemUnderTest> control() {
    return switch (this) {
      case NATIVE -> Optional.of(NATIVE_AGAIN);
      case REGULAR -> Optional.of(REGULAR_AGAIN);
      default -> Optional.empty();
    };
  }

  /** Whether it has something of its own to show there. */
  public boolean takesPartIn(TransactionClass transactions) {
    return this != FAST_PATH || transactions != TransactionClass.TEN;
  }

  /** The name of its table. */
  String table() {
    return "compare-" + key;
  }
}
