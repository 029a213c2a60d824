package io.lampone.client.core;

/**
 * Permissions of one transaction.
 *
 * @param readOnly true if writes are refused
 * @param ownsWrites false for a snapshot in the past, whose timestamp may be another transaction's
 * @param oneRegionCommit true if it may commit in one round trip where its writes allow that
 * @param serializable true if its reads must still be current at its commit timestamp; no effect if
 *     it is read-only
 */
public record TransactionMode(
    boolean readOnly, boolean ownsWrites, boolean oneRegionCommit, boolean serializable) {

  /** Mode with snapshot isolation. */
  public TransactionMode(boolean readOnly, boolean ownsWrites, boolean oneRegionCommit) {
    this(readOnly, ownsWrites, oneRegionCommit, false);
  }
}
