package io.lampone.client.core.failure;

/** Signals that the transaction has exceeded its timeout; it can only be rolled back. */
public final class TransactionTimeoutException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public TransactionTimeoutException(long startTimestamp) {
    super(
        "the transaction has lived longer than its timeout: make it shorter, or raise the timeout"
            + " in its options, startTimestamp="
            + startTimestamp);
  }
}
