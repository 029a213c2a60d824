package io.lampone.client.core;

/** The application uses a transaction in a way that makes no sense; nothing was changed. */
public final class IllegalUseException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public IllegalUseException(String message) {
    super(message);
  }
}
