package io.lampone.client.core.failure;

import org.jspecify.annotations.Nullable;

/** An operation of the fast path was sent, and its outcome was unknown at its deadline. */
public final class OperationUnknownException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** The version of the operation, if it has one, is above this. */
  private final long above;

  public OperationUnknownException(String message, long above, @Nullable Throwable cause) {
    super(message, cause);
    this.above = above;
  }

  /** The operation's version, if it has one, is above this: whoever asks for it looks there. */
  public long above() {
    return above;
  }
}
