package io.lampone.client.core.failure;

import org.jspecify.annotations.Nullable;

/** Signals a fast-path operation that was sent, and whose outcome was unknown at its deadline. */
public final class OperationUnknownException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Lower bound, exclusive, of the operation's version, if it has one. */
  private final long above;

  public OperationUnknownException(String message, long above, @Nullable Throwable cause) {
    super(message, cause);
    this.above = above;
  }

  /** Returns the lower bound, exclusive, of the operation's version, from which lookups start. */
  public long above() {
    return above;
  }
}
