package io.lampone.client;

import io.lampone.protocol.TransactionId;

/**
 * A commit was requested, and neither the leader nor the transaction manager could be asked how it
 * ended. The transaction is committed or aborted, never half of it. {@link LamponeClient#status}
 * with the id tells, within the retention. Running the same work again without asking may apply it
 * twice.
 */
public final class CommitOutcomeUnknownException extends LamponeException {

  private static final long serialVersionUID = 1L;

  private final transient TransactionId id;

  public CommitOutcomeUnknownException(TransactionId id, String why, Throwable cause) {
    super(
        Code.OUTCOME_UNKNOWN,
        id.startTimestamp(),
        why + ": ask for the status of this id before doing it again, id=" + id,
        cause);
    this.id = id;
  }

  public CommitOutcomeUnknownException(TransactionId id, String why) {
    super(
        Code.OUTCOME_UNKNOWN,
        id.startTimestamp(),
        why + ": ask for the status of this id before doing it again, id=" + id);
    this.id = id;
  }

  /** The name of the transaction, for {@link LamponeClient#status}. */
  public TransactionId transactionId() {
    return id;
  }
}
