package io.lampone.tm.token.core;

import java.time.Duration;

/**
 * Lifetimes of delegation tokens, and the number of those kept track of.
 *
 * @param lifetime until a token must be renewed
 * @param longestLifetime after that it cannot be renewed any more
 * @param kept renewed tokens that are kept track of, and as many cancelled ones
 * @param keptOfOwner renewed tokens of each owner, and five times the cancelled ones
 */
public record TokenSettings(
    Duration lifetime, Duration longestLifetime, int kept, int keptOfOwner) {

  /** A day, renewed up to a week. */
  public static final TokenSettings DEFAULT =
      new TokenSettings(Duration.ofDays(1), Duration.ofDays(7), 5_000, 1_000);

  /** The highest number kept, for their names must fit into one answer of ZooKeeper's of 1 MB. */
  public static final int HIGHEST_KEPT = 8_000;
}
