package io.lampone.embedded;

import java.io.IOException;

/**
 * Failure to start the embedded cluster, for a reason that the user can correct.
 *
 * <p>All processes have ended, and the data folder has no changes except those of any start.
 */
public final class EmbeddedStartException extends IOException {

  private static final long serialVersionUID = 1L;

  /** Reason of the failure. */
  public enum Reason {
    /** The data folder cannot be created, or is not a writable folder. */
    DATA_DIRECTORY_NOT_WRITABLE,
    /** Another embedded cluster holds the data folder, or it belongs to a cluster of processes. */
    DATA_DIRECTORY_IN_USE,
    /** The configured ZooKeeper port is in use. */
    PORT_IN_USE,
    /** ZooKeeper, the master or a region server failed; the cause and the log have details. */
    SERVER_FAILED
  }

  private final Reason reason;

  EmbeddedStartException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  EmbeddedStartException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** Returns the reason of the failure. */
  public Reason reason() {
    return reason;
  }
}
