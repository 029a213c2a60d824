package io.lampone.tm.core.status;

/**
 * Metrics of a node at one moment, for gauges and probes; no decision depends on them. Taken with
 * each tick, so they are few; for everything that is known see {@link NodeStatus}.
 *
 * @param role its role
 * @param epoch the epoch that it leads; 0 unless it is the primary
 * @param leaseRemainingNanos how long it may still answer without a renewal; below zero if it may
 *     not
 * @param storeSilentNanos time since the record store answered last
 * @param bound every timestamp of this epoch is below it
 * @param lastTimestamp the last one issued
 * @param lowWatermark below it, validations are refused
 * @param horizon at or below it, decisions may have been forgotten
 * @param safePoint the oldest snapshot that is still readable
 * @param oldestHeld the oldest snapshot that is held; 0 if none is
 * @param conflictEntries hashes in the conflict table
 * @param decisionEntries decisions that are remembered
 * @param draining whether it is a backup that will take no epoch
 * @param recordTrusted false for a primary whose record a foreign hand changes again and again, and
 *     for a backup that takes no epoch from the record as it is
 * @param clockComplaint why its clock is not believed; empty if it is
 */
public record NodeMetrics(
    Name role,
    long epoch,
    long leaseRemainingNanos,
    long storeSilentNanos,
    long bound,
    long lastTimestamp,
    long lowWatermark,
    long horizon,
    long safePoint,
    long oldestHeld,
    long conflictEntries,
    long decisionEntries,
    boolean draining,
    boolean recordTrusted,
    String clockComplaint) {

  /** Possible roles of a node. */
  public enum Name {
    BACKUP,
    PRIMARY,
    RETIRED
  }

  /** A node that leads no epoch. */
  public static NodeMetrics idle(
      Name role,
      long storeSilentNanos,
      boolean draining,
      boolean recordTrusted,
      String clockComplaint) {
    return new NodeMetrics(
        role,
        0,
        -1,
        storeSilentNanos,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        draining,
        recordTrusted,
        clockComplaint);
  }

  /** Returns true if it may answer requests. */
  public boolean leads() {
    return role == Name.PRIMARY && leaseRemainingNanos > 0;
  }
}
