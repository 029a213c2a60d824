package io.lampone.client;

/**
 * The snapshot is older than the retention: what it should show may have been collected. Or it is
 * older than what a table knows of its past, having been created, enabled, made plain or fenced
 * since.
 */
public final class SnapshotTooOldException extends LamponeException {

  private static final long serialVersionUID = 1L;

  public SnapshotTooOldException(long startTimestamp, String message) {
    super(Code.SNAPSHOT_TOO_OLD, startTimestamp, message);
  }
}
