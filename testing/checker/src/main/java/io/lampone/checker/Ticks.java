package io.lampone.checker;

/** Format of the product's timestamps, as far as a judge needs it. */
final class Ticks {

  /** Timestamps of the transaction manager are multiples of this, and unique. */
  private static final long TICK = 256;

  private Ticks() {}

  static boolean isGlobal(long timestamp) {
    return timestamp % TICK == 0;
  }
}
