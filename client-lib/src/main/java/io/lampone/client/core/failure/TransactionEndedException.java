package io.lampone.client.core.failure;

import io.lampone.client.core.CommitOutcome;

/** Signals that the transaction has ended already, with {@link #outcome}. */
public final class TransactionEndedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient CommitOutcome outcome;

  public TransactionEndedException(CommitOutcome outcome) {
    super("the transaction has ended, outcome=" + outcome);
    this.outcome = outcome;
  }

  /** Returns the outcome. */
  public CommitOutcome outcome() {
    return outcome;
  }
}
