package io.lampone.tm.core;

import java.time.Duration;

/**
 * Retention of snapshots. The same on every transaction manager of a cluster: one that takes over
 * waits as long as its predecessor's holds may last.
 *
 * @param snapshots every snapshot is readable for at least so long after it was issued
 * @param longestHold no hold lasts longer unless it is renewed
 */
public record Retention(Duration snapshots, Duration longestHold) {

  /** Ten minutes each. */
  public static final Retention DEFAULT =
      new Retention(Duration.ofMinutes(10), Duration.ofMinutes(10));
}
