package io.lampone.tm.core.status;

import io.lampone.protocol.tm.BucketMap;
import io.lampone.tm.core.ManagerSettings;
import io.lampone.tm.core.oracle.Lease;
import io.lampone.tm.core.oracle.TimestampAllocator;
import io.lampone.tm.core.transfer.PrimaryState;
import io.lampone.tm.core.validation.TransactionManagerCore;
import java.util.concurrent.TimeUnit;

/** State of a primary for metrics, commands and people; no decision depends on it. */
public final class PrimaryStatus {

  private final ManagerSettings settings;
  private final Lease lease;
  private final TimestampAllocator timestamps;
  private final TransactionManagerCore core;
  private final PrimaryState primaryState;

  public PrimaryStatus(
      ManagerSettings settings,
      Lease lease,
      TimestampAllocator timestamps,
      TransactionManagerCore core,
      PrimaryState primaryState) {
    this.settings = settings;
    this.lease = lease;
    this.timestamps = timestamps;
    this.core = core;
    this.primaryState = primaryState;
  }

  /**
   * Returns the metrics.
   *
   * @param over whether it will not answer again, although the lease may still run
   */
  public NodeMetrics metrics(
      long epoch,
      boolean over,
      long storeSilentNanos,
      boolean recordTrusted,
      String clockComplaint) {
    return new NodeMetrics(
        NodeMetrics.Name.PRIMARY,
        epoch,
        over ? -1 : lease.remainingNanos(),
        storeSilentNanos,
        timestamps.bound(),
        timestamps.last(),
        primaryState.conflicts().lowWatermark(),
        primaryState.decisions().horizon(),
        core.safePoint(),
        primaryState.holds().smallestHeld().orElse(0),
        conflicts(),
        decisions(),
        core.reservations(),
        primaryState.buckets().ownership().shares().get(BucketMap.PRIMARY),
        false,
        recordTrusted,
        clockComplaint);
  }

  /** Returns the tables. */
  public NodeStatus.Tables tables(boolean handingOver) {
    return new NodeStatus.Tables(
        TimeUnit.NANOSECONDS.toMillis(Math.max(0, lease.remainingNanos())),
        timestamps.last(),
        timestamps.bound(),
        core.safePoint(),
        conflicts(),
        settings.conflictCapacity(),
        primaryState.conflicts().lowWatermark(),
        decisions(),
        settings.decisionCapacity(),
        primaryState.decisions().horizon(),
        primaryState.holds().list().size(),
        primaryState.holds().oldest(),
        settings.retention(),
        primaryState.holds().pause().toMillis(),
        handingOver);
  }

  /** Returns the entry of a transaction, and the newest entries of the tables. */
  public DebugDump inspect(long startTimestamp, long floor) {
    return DebugDump.of(
        startTimestamp,
        primaryState.conflicts(),
        primaryState.decisions(),
        core.mayHaveBeenForgotten(startTimestamp),
        startTimestamp < floor);
  }

  private long conflicts() {
    return primaryState.conflicts().sequence() - primaryState.conflicts().oldestSequence();
  }

  private long decisions() {
    return primaryState.decisions().sequence() - primaryState.decisions().oldestSequence();
  }
}
