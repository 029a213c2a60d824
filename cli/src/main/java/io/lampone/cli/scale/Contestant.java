package io.lampone.cli.scale;

/** What is measured beside each other, in turns. */
enum Contestant {
  /** HBase's client on a plain table: the unit of the others. */
  NATIVE("native"),
  /** The same once more, on the same table: what the two differ by is chance. */
  NATIVE_AGAIN("native-again"),
  /** Regular transactions. */
  REGULAR("regular"),
  /** Single operations by the fast path. */
  FAST_PATH("fastpath");

  private final String key;

  Contestant(String key) {
    this.key = key;
  }

  String key() {
    return key;
  }

  /** Whether it has something to show there: the fast path has no transactions of many rows. */
  boolean takesPartIn(Sweep sweep) {
    return this != FAST_PATH || sweep != Sweep.WRITES;
  }

  boolean isTransactional() {
    return this == REGULAR || this == FAST_PATH;
  }
}
