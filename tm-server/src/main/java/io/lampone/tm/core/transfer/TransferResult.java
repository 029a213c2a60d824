package io.lampone.tm.core.transfer;

import java.time.Duration;

/**
 * Result of a hand-over.
 *
 * @param successor the address of the successor
 * @param leading whether it has confirmed to be the primary; if not, it or another backup will be
 * @param gap time from this node's last decision until the successor's confirmation
 * @param conflicts number of conflict table entries sent
 * @param decisions number of decisions sent
 * @param holds number of holds sent
 * @param attempts number of attempts, including failed ones after which this node continued
 * @param rounds number of rounds until the successor was fast enough
 */
public record TransferResult(
    String successor,
    boolean leading,
    Duration gap,
    long conflicts,
    long decisions,
    long holds,
    int attempts,
    int rounds) {

  /** Returns this result with its number of attempts. */
  public TransferResult afterAttempts(int n) {
    return new TransferResult(successor, leading, gap, conflicts, decisions, holds, n, rounds);
  }
}
