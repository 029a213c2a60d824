package io.lampone.client.core;

/** The store does not permit the request to this user; it changed nothing. */
public final class StoreDeniedException extends StoreUnavailableException {

  private static final long serialVersionUID = 1L;

  public StoreDeniedException(String message, Throwable cause) {
    super(message, cause);
  }

  /** Whether a future failed for that. */
  static boolean isSaidBy(Throwable failure) {
    return Failures.unwrap(failure) instanceof StoreDeniedException;
  }
}
