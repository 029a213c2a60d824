package io.lampone.client.core.failure;

import org.jspecify.annotations.Nullable;

/** No answer from the store, or none that shows whether the request was applied. */
public class StoreUnavailableException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
