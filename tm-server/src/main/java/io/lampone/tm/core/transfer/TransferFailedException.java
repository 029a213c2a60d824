package io.lampone.tm.core.transfer;

/** A hand-over that did not take place; the message says why, who is primary, and what to do. */
public final class TransferFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean passing;

  /** With what is known of whether another attempt may help. */
  public TransferFailedException(String message, boolean passing) {
    super(message);
    this.passing = passing;
  }

  /** Returns true if the same attempt may succeed in a moment: one end was too slow, once. */
  public boolean isPassing() {
    return passing;
  }
}
