package io.lampone.client.core;

import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.client.core.failure.TransactionTimeoutException;
import io.lampone.protocol.time.Clock;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * State of a transaction.
 *
 * <pre>
 *   ACTIVE --commit--> ENDING --> ENDED(outcome)
 *      |---rollback-------------> ENDED(Aborted)
 *      +---a flush is refused---> ENDED(Conflict | Refused | Aborted)
 * </pre>
 *
 * Not thread-safe.
 */
final class Lifecycle {

  private final long startTimestamp;
  private final Clock clock;
  private final long deadlineNanos;
  private boolean ending;
  private boolean rolledBackWholly;
  private @Nullable CommitOutcome outcome;

  /**
   * @param deadlineNanos on the monotonic clock: the transaction is not active after it
   */
  Lifecycle(long startTimestamp, Clock clock, long deadlineNanos) {
    this.startTimestamp = startTimestamp;
    this.clock = clock;
    this.deadlineNanos = deadlineNanos;
  }

  Optional<CommitOutcome> outcome() {
    return Optional.ofNullable(outcome);
  }

  /** Returns true if its own writes count as never made. */
  boolean isRolledBackWholly() {
    return rolledBackWholly;
  }

  void checkActive() {
    if (outcome != null) {
      throw new TransactionEndedException(outcome);
    }
    if (ending) {
      throw new IllegalUseException("the transaction is being committed by another call");
    }
    if (clock.monotonicNanos() - deadlineNanos > 0) {
      throw new TransactionTimeoutException(startTimestamp);
    }
  }

  /** Fails after the failure of the transaction: its writes are neither visible nor undone. */
  void checkReadable() {
    if (outcome != null && !rolledBackWholly && !(outcome instanceof Committed)) {
      throw new TransactionEndedException(outcome);
    }
  }

  /** Begins the commit of an active transaction. */
  void commits() {
    checkActive();
    ending = true;
  }

  /** Ends the transaction without a commit; returns false if one has begun, or it has ended. */
  boolean givesUp(CommitOutcome end, boolean wholly) {
    if (outcome != null || ending) {
      return false;
    }
    ending = true;
    rolledBackWholly = wholly;
    outcome = end;
    return true;
  }

  /** Ends the transaction; returns false if it has ended. */
  boolean fails(CommitOutcome end) {
    if (outcome != null) {
      return false;
    }
    outcome = end;
    return true;
  }

  /** Ends the commit. */
  void ends(CommitOutcome end) {
    outcome = end;
  }
}
