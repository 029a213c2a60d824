package io.lampone.tm.core.transfer;

/** Thrown if a hand-over did not take place; the message has cause, primary and remedy. */
public final class TransferFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean passing;

  /** Creates the exception; {@code passing} tells whether a retry may succeed. */
  public TransferFailedException(String message, boolean passing) {
    super(message);
    this.passing = passing;
  }

  /** Returns true if an immediate retry may succeed: one end was too slow, once. */
  public boolean isPassing() {
    return passing;
  }
}
