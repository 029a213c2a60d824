package io.lampone.client.core;

import io.lampone.client.core.failure.IllegalUseException;

/**
 * Permissions of one transaction.
 *
 * @param readOnly true if writes are refused
 * @param ownsWrites false for a snapshot in the past, whose timestamp may be another transaction's
 * @param oneRegionCommit true if it may commit in one round trip where its writes allow that
 * @param serializable true if its reads must still be current at its commit timestamp; no effect if
 *     it is read-only
 * @param insists true if it goes on although another one holds what it writes (ADR 96)
 */
public record TransactionMode(
    boolean readOnly,
    boolean ownsWrites,
    boolean oneRegionCommit,
    boolean serializable,
    boolean insists) {

  /** Mode with snapshot isolation. */
  public TransactionMode(boolean readOnly, boolean ownsWrites, boolean oneRegionCommit) {
    this(readOnly, ownsWrites, oneRegionCommit, false);
  }

  /** Mode of a first attempt. */
  public TransactionMode(
      boolean readOnly, boolean ownsWrites, boolean oneRegionCommit, boolean serializable) {
    this(readOnly, ownsWrites, oneRegionCommit, serializable, false);
  }

  /** Fails if writes are refused. */
  void checkWrites(String table) {
    if (readOnly) {
      throw new IllegalUseException(
          "a read-only transaction cannot write: begin one that is not, table=" + table);
    }
  }
}
