package io.lampone.client;

import io.lampone.client.fastpath.FastPath;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.protocol.TransactionId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Outcome unknown after a commit was requested, of a regular transaction or of operations of the
 * fast path. It is committed or not, never half of it. {@link LamponeClient#status} with the
 * transaction's id, or {@link FastPath#outcome} with that of the operation, answers within the
 * retention. Doing the same work again without asking may apply it twice.
 */
public final class CommitOutcomeUnknownException extends LamponeException {

  private static final long serialVersionUID = 1L;

  private final transient Optional<TransactionId> transaction;
  private final transient List<FastPathId> operations;

  public CommitOutcomeUnknownException(TransactionId id, String why, @Nullable Throwable cause) {
    super(
        Code.OUTCOME_UNKNOWN,
        id.startTimestamp(),
        why + ": ask for the status of this id before doing it again, id=" + id,
        cause);
    this.transaction = Optional.of(id);
    this.operations = List.of();
  }

  public CommitOutcomeUnknownException(TransactionId id, String why) {
    this(id, why, null);
  }

  /**
   * @param operations those of the fast path, at least one, whose outcome is not known
   */
  public CommitOutcomeUnknownException(
      List<FastPathId> operations, String why, @Nullable Throwable cause) {
    super(
        Code.OUTCOME_UNKNOWN,
        0,
        why
            + ": ask for the outcome by id before doing it again, id="
            + operations.get(0)
            + (operations.size() > 1 ? " and others, count=" + operations.size() : ""),
        cause);
    this.transaction = Optional.empty();
    this.operations = List.copyOf(operations);
  }

  /** The name of the transaction, for {@link LamponeClient#status}; empty if it was none. */
  public Optional<TransactionId> transactionId() {
    return transaction;
  }

  /** The names of the operations, for {@link FastPath#outcome}; none if it was a transaction. */
  public List<FastPathId> operations() {
    return operations;
  }
}
