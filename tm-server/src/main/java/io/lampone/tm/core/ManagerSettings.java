package io.lampone.tm.core;

import io.lampone.protocol.trust.Proofs;
import java.time.Duration;

/**
 * Settings of a transaction manager node.
 *
 * @param holder a name unique among processes, including earlier runs of this one
 * @param address {@code host:port} where this process already listens
 * @param leaseDuration how long it may answer after a renewal, before subtraction of a margin
 * @param renewInterval interval between renewals
 * @param boundAhead how far ahead of need the timestamp bound is extended
 * @param conflictCapacity capacity of the conflict table in hashes
 * @param decisionCapacity capacity of the decision memory
 * @param transferChunk entries in a part of a hand-over, which the node sends in one turn
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

  /** So many entries are copied and sent in well under a millisecond. */
  public static final int DEFAULT_TRANSFER_CHUNK = 2048;
}
