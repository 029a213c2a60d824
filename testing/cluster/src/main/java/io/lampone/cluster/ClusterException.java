package io.lampone.cluster;

/** Error that the operator of the cluster can correct; the message names it. */
public final class ClusterException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  ClusterException(String message) {
    super(message);
  }

  ClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
