package io.lampone.client;

import io.lampone.client.fastpath.FastPath;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.protocol.TransactionId;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Unknown outcome of a requested commit, of a regular transaction or of fast-path operations. The
 * commit is atomic in any case. Within the retention, {@link LamponeClient#status} with the
 * transaction's id, or {@link FastPath#outcome} with the operation's id, returns the outcome.
 * Repeating the work without this query may apply it twice.
 */
public final class CommitOutcomeUnknownException extends LamponeException {

  private static final long serialVersionUID = 1L;

  // As text, because exceptions are serialized.
  private final @Nullable String transaction;
  private final String[] operations;

  public CommitOutcomeUnknownException(TransactionId id, String why, @Nullable Throwable cause) {
    super(
        Code.OUTCOME_UNKNOWN,
        id.startTimestamp(),
        why + ": ask for the status of this id before doing it again, id=" + id,
        cause);
    this.transaction = id.toString();
    this.operations = new String[0];
  }

  public CommitOutcomeUnknownException(TransactionId id, String why) {
    this(id, why, null);
  }

  /**
   * @param operations fast-path operations with an unknown outcome, at least one
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
    this.transaction = null;
    this.operations = operations.stream().map(FastPathId::toString).toArray(String[]::new);
  }

  /** Returns the id for {@link LamponeClient#status}; empty for fast-path operations. */
  public Optional<TransactionId> transactionId() {
    return Optional.ofNullable(transaction).map(TransactionId::parse);
  }

  /** Returns the ids for {@link FastPath#outcome}; empty for a regular transaction. */
  public List<FastPathId> operations() {
    return Stream.of(operations).map(FastPathId::parse).toList();
  }
}
