package io.lampone.benchmarks.scale;

/** Contestants that are measured beside each other, in turns. */
enum Contestant {
  /** HBase's client on a plain table: the unit of the others. */
  NATIVE("native"),
  /** Control on the same table: the difference of the two is chance. */
  NATIVE_AGAIN("native-again"),
  /** Regular transactions, as the client library executes them. */
  REGULAR("regular"),
  /** Regular transactions that the transaction manager validates, even in one region. */
  VALIDATED("validated"),
  /** Single operations by the fast path. */
  FAST_PATH("fastpath");

  private final String key;

  Contestant(String key) {
    this.key = key;
  }

  String key() {
    return key;
  }

  /** Returns true if it has distinct results there. */
  boolean takesPartIn(Sweep sweep, Kind kind) {
    return switch (this) {
      // It has no transactions of many rows.
      case FAST_PATH -> sweep != Sweep.WRITES && kind.isOneRow();
      // Many rows are in several regions, and reads are not validated at all.
      case VALIDATED -> sweep == Sweep.MANAGER && kind.isOneRow() && kind.writes() > 0;
      default -> true;
    };
  }

  boolean isTransactional() {
    return this != NATIVE && this != NATIVE_AGAIN;
  }

  /** Returns true if it begins and commits. */
  boolean hasPhases() {
    return this == REGULAR || this == VALIDATED;
  }
}
