package io.lampone.tm.core;

import io.lampone.protocol.trust.Proofs;
import java.time.Duration;

/**
 * Settings of a node of the transaction manager.
 *
 * @param holder a name that no two processes share, not even two runs of the same one
 * @param address {@code host:port} where this process listens already
 * @param leaseDuration how long it may answer after a renewal; minus a margin
 * @param renewInterval how often it renews
 * @param boundAhead how far the bound of timestamps is kept ahead of need
 * @param conflictCapacity hashes that the conflict table holds
 * @param decisionCapacity decisions that are remembered
 * @param transferChunk entries in a part of a hand-over: what the node does in one go
 * @param retention how long snapshots remain readable
 * @param proofs verifies grants
 */
public record ManagerSettings(
    String holder,
    String address,
    Duration leaseDuration,
    Duration renewInterval,
    Duration boundAhead,
    int conflictCapacity,
    int decisionCapacity,
    int transferChunk,
    Retention retention,
    Proofs proofs) {

  /** Copied and sent in well under a millisecond. */
  public static final int DEFAULT_TRANSFER_CHUNK = 2048;
}
