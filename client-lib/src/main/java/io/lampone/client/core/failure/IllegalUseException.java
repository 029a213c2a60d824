package io.lampone.client.core.failure;

/** The application uses a transaction in a way that makes no sense; nothing was changed. */
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

  /** A named limit is exceeded. */
  public static IllegalUseException ofLimit(String message) {
    return new IllegalUseException(message, true);
  }

  /** Returns true if a named limit is exceeded. */
  public boolean isLimit() {
    return limit;
  }
}
