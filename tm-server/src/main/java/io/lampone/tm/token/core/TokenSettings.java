package io.lampone.tm.token.core;

import java.time.Duration;

/**
 * Lifetimes and limits of delegation tokens.
 *
 * @param lifetime time until a token must be renewed
 * @param longestLifetime time after which it cannot be renewed any more
 * @param kept maximum renewed tokens with a mark, and as many cancelled ones
 * @param keptOfOwner maximum renewed tokens of each owner, and a fifth of it for cancelled ones
 */
public record TokenSettings(
    Duration lifetime, Duration longestLifetime, int kept, int keptOfOwner) {

  /** A day, renewable up to a week. */
  public static final TokenSettings DEFAULT =
      new TokenSettings(Duration.ofDays(1), Duration.ofDays(7), 5_000, 1_000);

  /** Maximum of {@link #kept}: all names must fit into one answer of ZooKeeper, of 1 MB. */
  public static final int HIGHEST_KEPT = 8_000;
}
