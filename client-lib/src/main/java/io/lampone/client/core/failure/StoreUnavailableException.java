package io.lampone.client.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * Signals a missing reply of the store, or one that does not show whether the request was applied.
 */
public class StoreUnavailableException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
