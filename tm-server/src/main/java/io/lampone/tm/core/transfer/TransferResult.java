package io.lampone.tm.core.transfer;

import java.time.Duration;

/**
 * Result of a hand-over.
 *
 * @param successor the address of the one that takes over
 * @param leading whether it has said that it is the primary; if not, it or another backup will be
 * @param gap from the moment at which this node stopped deciding until its successor had said so
 * @param conflicts entries of the conflict table that were sent
 * @param decisions decisions that were sent
 * @param holds holds that were sent
 * @param attempts this one, and those before it after which this node continued
 * @param rounds how often the end was rehearsed until the successor was fast enough
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

  /** The same, known to have been the {@code n}th attempt. */
  public TransferResult afterAttempts(int n) {
    return new TransferResult(successor, leading, gap, conflicts, decisions, holds, n, rounds);
  }
}
