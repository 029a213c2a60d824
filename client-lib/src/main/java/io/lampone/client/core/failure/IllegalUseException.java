package io.lampone.client.core.failure;

/** Signals an illegal use of a transaction by the application; nothing was changed. */
public final class IllegalUseException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean limit;

  public IllegalUseException(String message) {
    this(message, false);
  }

  private IllegalUseException(String message, boolean limit) {
    super(message);
    this.limit = limit;
  }

  /** Returns the exception for an exceeded limit. */
  public static IllegalUseException ofLimit(String message) {
    return new IllegalUseException(message, true);
  }

  /** Returns true if a limit is exceeded. */
  public boolean isLimit() {
    return limit;
  }
}
