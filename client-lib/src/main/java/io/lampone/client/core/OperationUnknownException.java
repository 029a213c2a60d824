package io.lampone.client.core;

import org.jspecify.annotations.Nullable;

/** An operation of the fast path was sent, and until its deadline nobody said how it ended. */
public final class OperationUnknownException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public OperationUnknownException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
