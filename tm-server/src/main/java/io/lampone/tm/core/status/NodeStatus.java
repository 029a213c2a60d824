package io.lampone.tm.core.status;

import io.lampone.protocol.tm.Hold;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.core.Retention;
import java.util.Optional;

/**
 * State of a node and of the record at one moment, for people.
 *
 * @param role backup, primary or retired
 * @param holder its name in the record
 * @param address where it listens
 * @param draining whether it must not become or remain primary
 * @param record the record as this node has last read or written it
 * @param tables the in-memory tables of a primary
 */
public record NodeStatus(
    String role,
    String holder,
    String address,
    boolean draining,
    Optional<ManagerRecord> record,
    Optional<Tables> tables) {

  /** Timestamps count nanoseconds. */
  public static final long TIMESTAMPS_PER_MILLI = 1_000_000;

  /**
   * In-memory tables of a primary.
   *
   * @param leaseRemainingMillis time left to answer without a renewal; 0 if the lease is over
   * @param last the last timestamp issued
   * @param bound exclusive upper bound of timestamps
   * @param safePoint the safe point as decided, perhaps not published yet
   * @param conflicts entries of the conflict table
   * @param conflictCapacity capacity of the conflict table
   * @param lowWatermark of the conflict table
   * @param decisions entries of the decision memory
   * @param decisionCapacity capacity of the decision memory
   * @param horizon of the decision memory
   * @param holds number of holds
   * @param oldestHold the hold on the oldest snapshot
   * @param retention how long snapshots remain readable
   * @param safePointPauseMillis how much longer there may be holds that this primary does not know
   * @param handingOver whether a hand-over is under way
   */
  public record Tables(
      long leaseRemainingMillis,
      long last,
      long bound,
      long safePoint,
      long conflicts,
      long conflictCapacity,
      long lowWatermark,
      long decisions,
      long decisionCapacity,
      long horizon,
      long holds,
      Optional<Hold> oldestHold,
      Retention retention,
      long safePointPauseMillis,
      boolean handingOver) {}
}
