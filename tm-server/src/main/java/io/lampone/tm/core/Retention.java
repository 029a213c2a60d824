package io.lampone.tm.core;

import java.time.Duration;

/**
 * Retention of snapshots. Equal on all transaction managers of a cluster, because one that takes
 * over waits as long as its predecessor's holds may last.
 *
 * @param snapshots how long every snapshot is readable at least, from its issue on
 * @param longestHold maximum lifetime of a hold unless it is renewed
 */
public record Retention(Duration snapshots, Duration longestHold) {

  /** Ten minutes each. */
  public static final Retention DEFAULT =
      new Retention(Duration.ofMinutes(10), Duration.ofMinutes(10));
}
