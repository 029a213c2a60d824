package io.lampone.protocol.tm;

/** No usable answer from a transaction manager; says nothing about the outcome of a request. */
public final class TransactionManagerException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final Kind kind;

  /** Kind of failure. */
  public enum Kind {
    /** No answer in time, or the connection broke while a request was under way. */
    UNAVAILABLE,
    /** Client and server share no version of the protocol. */
    INCOMPATIBLE,
    /** The server refuses to talk to this client (credentials, limits). */
    REJECTED,
    /** The request is longer than the longest frame that the server takes. */
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
