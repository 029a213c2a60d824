package io.lampone.cluster;

/** Something that the person who runs the cluster can put right; the message says what. */
public final class ClusterException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  ClusterException(String message) {
    super(message);
  }

  ClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
