package io.lampone.client.core;

/**
 * Permissions of one transaction.
 *
 * @param readOnly true if writes are refused
 * @param ownsWrites false for a snapshot in the past, whose tick may be another transaction's
 * @param oneRegionCommit true if it may commit in one round trip where its writes allow that
 * @param serializable true if what it has read must still be so at its commit timestamp; of no
 *     effect where it is read-only
 */
public record TransactionMode(
    boolean readOnly, boolean ownsWrites, boolean oneRegionCommit, boolean serializable) {

  /** One of snapshot isolation. */
  public TransactionMode(boolean readOnly, boolean ownsWrites, boolean oneRegionCommit) {
    this(readOnly, ownsWrites, oneRegionCommit, false);
  }
}
