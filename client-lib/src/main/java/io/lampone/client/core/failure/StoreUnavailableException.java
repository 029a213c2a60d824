package io.lampone.client.core.failure;

import org.jspecify.annotations.Nullable;

/** Signals that the store did not reply, or did not state whether the request was applied. */
public class StoreUnavailableException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
