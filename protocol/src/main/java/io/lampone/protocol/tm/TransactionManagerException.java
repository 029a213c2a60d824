package io.lampone.protocol.tm;

/** Thrown without a usable answer of a transaction manager; says nothing about the outcome. */
public final class TransactionManagerException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final Kind kind;

  /** Kind of failure. */
  public enum Kind {
    /** No answer in time, or the connection broke while a request was under way. */
    UNAVAILABLE,
    /** Client and server have no protocol version in common. */
    INCOMPATIBLE,
    /** The server refuses this client (credentials, limits). */
    REJECTED,
    /** The request exceeds the server's frame limit. */
    TOO_LARGE,
    /** The client has been closed. */
    CLOSED
  }

  public TransactionManagerException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public TransactionManagerException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** Returns the kind of failure. */
  public Kind kind() {
    return kind;
  }
}
