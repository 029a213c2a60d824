package io.lampone.tm.core.status;

/**
 * Metrics of a node at one moment, for gauges and probes; no decision depends on them. They are
 * taken with each tick and therefore few; {@link NodeStatus} has everything.
 *
 * @param role its role
 * @param epoch the epoch that it leads; 0 unless it is the primary
 * @param leaseRemainingNanos time left to answer without a renewal; negative if the lease is over
 * @param storeSilentNanos time since the record store's last answer
 * @param bound exclusive upper bound of this epoch's timestamps
 * @param lastTimestamp the last one issued
 * @param lowWatermark below it, validations are refused
 * @param horizon at or below it, decisions may have been forgotten
 * @param safePoint the oldest readable snapshot
 * @param oldestHeld the oldest snapshot held; 0 = none
 * @param conflictEntries hashes in the conflict table
 * @param decisionEntries decisions in memory
 * @param reservations hashes that running transactions have reserved
 * @param buckets number of buckets for which it validates
 * @param draining whether it is a backup that will take no epoch
 * @param recordTrusted false for a primary whose record is changed by others repeatedly, and for a
 *     backup that takes no epoch from the record as it is
 * @param clockComplaint why its clock is not trusted; empty if it is
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
    int reservations,
    int buckets,
    boolean draining,
    boolean recordTrusted,
    String clockComplaint) {

  /** Possible roles of a node. */
  public enum Name {
    BACKUP,
    PRIMARY,
    RETIRED,
    VALIDATOR
  }

  /** Returns the metrics of a node that leads no epoch. */
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
