package io.lampone.client.core.failure;

import org.jspecify.annotations.Nullable;

/**
 * Signals that the store does not permit the request to this user, or does not disclose its
 * destination; it changed nothing.
 */
public final class StoreDeniedException extends StoreUnavailableException {

  private static final long serialVersionUID = 1L;

  public StoreDeniedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Returns true if a future failed with this exception. */
  public static boolean isSaidBy(Throwable failure) {
    return failure instanceof StoreDeniedException;
  }
}
