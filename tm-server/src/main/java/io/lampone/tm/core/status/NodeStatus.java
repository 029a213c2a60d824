package io.lampone.tm.core.status;

import io.lampone.protocol.tm.Hold;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.core.Retention;
import java.util.Optional;

/**
 * State of a node and of the record at one moment, for people to look at.
 *
 * @param role backup, primary or retired
 * @param holder its name in the record
 * @param address where it listens
 * @param draining whether it must not become or remain primary
 * @param record the record as this node has last read or written it
 * @param tables the tables of a primary, in memory
 */
public record NodeStatus(
    String role,
    String holder,
    String address,
    boolean draining,
    Optional<ManagerRecord> record,
    Optional<Tables> tables) {

  /** Timestamps are nanoseconds. */
  public static final long TIMESTAMPS_PER_MILLI = 1_000_000;

  /**
   * In-memory tables of a primary.
   *
   * @param leaseRemainingMillis how much longer it may answer without a renewal; 0 if it may not
   * @param last the last timestamp issued
   * @param bound every timestamp issued is below it
   * @param safePoint the safe point decided on, published or about to be
   * @param conflicts entries of the conflict table
   * @param conflictCapacity as many as fit
   * @param lowWatermark of the conflict table
   * @param decisions remembered
   * @param decisionCapacity as many as fit
   * @param horizon of the decision memory
   * @param holds in force
   * @param oldestHold the hold on the oldest snapshot
   * @param retention how long snapshots remain readable
   * @param safePointPauseMillis how much longer holds may exist that this primary does not know
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
