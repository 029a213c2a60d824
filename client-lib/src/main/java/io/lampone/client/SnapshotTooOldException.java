package io.lampone.client;

/**
 * The snapshot is older than the retention, and its data may have been collected; or it precedes
 * the creation, enabling, disabling or fencing of a table.
 */
public final class SnapshotTooOldException extends LamponeException {

  private static final long serialVersionUID = 1L;

  public SnapshotTooOldException(long startTimestamp, String message) {
    super(Code.SNAPSHOT_TOO_OLD, startTimestamp, message);
  }
}
