package io.lampone.embedded;

import java.io.IOException;

/**
 * The embedded cluster could not start, for a reason that the user can correct.
 *
 * <p>Nothing is left running when this is thrown, and nothing in the data folder was changed apart
 * from what a start may always change.
 */
public final class EmbeddedStartException extends IOException {

  private static final long serialVersionUID = 1L;

  /** Why the start failed. */
  public enum Reason {
    /** The data folder cannot be created, or is not a folder that this user can write to. */
    DATA_DIRECTORY_NOT_WRITABLE,
    /** Another embedded cluster holds the data folder, or it is that of a cluster of processes. */
    DATA_DIRECTORY_IN_USE,
    /** Something else listens on the ZooKeeper port that the configuration asks for. */
    PORT_IN_USE,
    /** ZooKeeper, the master or a region server failed; the cause and the log say more. */
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

  /** Why the start failed. */
  public Reason reason() {
    return reason;
  }
}
