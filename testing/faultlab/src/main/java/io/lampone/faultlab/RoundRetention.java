package io.lampone.faultlab;

import java.time.Duration;
import java.util.Map;
import java.util.Random;

/**
 * Retention of snapshots in a round, drawn from its seed. In half of the rounds it is the default,
 * which is longer than the round: nothing is collected. In the others it is a few seconds; tables
 * are then flushed and compacted all the time, and some transactions take longer than it.
 *
 * @param snapshots how long each stays readable
 * @param longestHold how long a hold lasts that is not renewed, and the safe point rests after a
 *     takeover
 */
record RoundRetention(Duration snapshots, Duration longestHold) {

  /** The product's default. */
  static final RoundRetention USUAL =
      new RoundRetention(Duration.ofMinutes(10), Duration.ofMinutes(10));

  /** Seeds that differ by little must not have the same. */
  private static final long SALT = 0x5DEECE66DL;

  private static final int SHORTEST_MILLIS = 1_500;
  private static final int LONGEST_MILLIS = 6_000;
  private static final int SHORTEST_HOLD_MILLIS = 2_000;
  private static final int LONGEST_HOLD_MILLIS = 6_000;

  /** Of the round with this seed. */
  static RoundRetention draw(long seed) {
    Random random = new Random(seed * SALT);
    return random.nextBoolean()
        ? USUAL
        : new RoundRetention(
            Duration.ofMillis(between(SHORTEST_MILLIS, LONGEST_MILLIS, random)),
            Duration.ofMillis(between(SHORTEST_HOLD_MILLIS, LONGEST_HOLD_MILLIS, random)));
  }

  private static int between(int shortest, int longest, Random random) {
    return shortest + random.nextInt(longest - shortest + 1);
  }

  /** Returns true if data can be collected in a round. */
  boolean isShort() {
    return !equals(USUAL);
  }

  /** So long at most a transaction waits in its middle; zero if none does. */
  Duration longestWait() {
    return isShort() ? snapshots.multipliedBy(2) : Duration.ZERO;
  }

  /** Returns the settings of the transaction managers. */
  Map<String, String> settings() {
    return Map.of(
        "lampone.tm.retention", snapshots.toMillis() + "ms",
        "lampone.tm.hold.longest", longestHold.toMillis() + "ms");
  }
}
