package io.lampone.client.core;

import io.lampone.client.core.FastPathStore.End;
import io.lampone.client.core.FastPathStore.End.Lost;
import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.failure.Attempts;
import io.lampone.client.core.failure.OperationUnknownException;
import io.lampone.client.core.failure.RowBlockedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.FastReply.Outcome;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One operation of the fast path between its first attempt and its end: one row, or several rows
 * that are changed together.
 *
 * <pre>
 *   SENT --answered: applied, or final----------------> ended
 *    |---answered: busy-------> clear the way, send again
 *    |---not executed---------> send again, or ended (it never was in doubt)
 *    +---lost-----------------> IN DOUBT, from now on marked as repeated
 *
 *   IN DOUBT --answered: applied----------------------> ended
 *    |---answered: not, one attempt was lost----------> ended (the server refuses that one now)
 *    |---answered: not, several were lost; refused
 *    |   for good (superseded, too)--> ask by id------> ended
 *    +---deadline-------------------------------------> unknown
 * </pre>
 *
 * Used by one thread after the other.
 */
final class FastOperationInFlight {

  /** Bytes of a row or a mutation besides its own, roughly. */
  private static final int OVERHEAD = 64;

  private List<FastOperation> operations;
  // how it has ended, if it has
  private Step.@Nullable Ended<List<Outcome>> end;
  // attempts whose fate is not known; the first was not marked as repeated, all others were
  private int lost;
  // a final answer that cannot be believed while an earlier attempt may be on its way
  private @Nullable List<Outcome> answer;
  // why the last attempt was not answered, or why there can be no further one
  private @Nullable RuntimeException failure;
  // the first intent that the last attempt met, by which operation, and since when it is the same
  private @Nullable TransactionId blocker;
  private @Nullable FastOperation blocked;
  private long blockedSinceNanos;
  private boolean repeatable = true;
  // whether it has been given a newer mark than it was sent with first
  private boolean renamed;
  // whether there is nothing to wait for before the next attempt
  private boolean atOnce;

  FastOperationInFlight(List<FastOperation> operations) {
    this.operations = operations;
  }

  /** Returns the outcome; only if it has ended. */
  Step.Ended<List<Outcome>> end() {
    return Objects.requireNonNull(end);
  }

  boolean isOpen() {
    return end == null;
  }

  /** Rows that are changed together; a single one is so anyway. */
  boolean isAtomic() {
    return operations.size() > 1;
  }

  List<FastOperation> operations() {
    return operations;
  }

  Bytes firstRow() {
    return operations.get(0).row();
  }

  List<Bytes> rows() {
    return operations.stream().map(FastOperation::row).toList();
  }

  /** Roughly the bytes that it takes in a request. */
  long bytes() {
    long bytes = 0;
    for (FastOperation operation : operations) {
      bytes += operation.row().length() + OVERHEAD;
      for (FastOperation.Mutation mutation : operation.mutations()) {
        bytes += mutation.qualifier().length() + mutation.value().length() + OVERHEAD;
      }
    }
    return bytes;
  }

  void complete(List<Outcome> outcomes) {
    end = new Step.Done<>(List.copyOf(outcomes));
  }

  void fail(RuntimeException why) {
    end = new Step.Failed<>(why);
  }

  /** Our code has answered the last attempt. */
  void answered(List<Outcome> outcomes, long nowNanos) {
    failure = null;
    answer = null;
    atOnce = false;
    if (outcomes.stream().allMatch(outcome -> outcome.kind().isApplied())) {
      complete(outcomes);
      return;
    }
    boolean busy = false;
    boolean decided = false;
    for (int i = 0; i < outcomes.size(); i++) {
      Outcome outcome = outcomes.get(i);
      if (outcome.kind() == Kind.BUSY && !busy) {
        busy = true;
        met(outcome.blocker().orElseThrow(), operations.get(i), nowNanos);
      }
      decided |= outcome.kind() != Kind.BUSY && outcome.kind() != Kind.NOT_APPLIED;
    }
    if (busy && !decided) {
      return;
    }
    blocker = null;
    if (lost <= 1) {
      // The one that was lost was not marked as repeated: an attempt with that id that comes after
      // this answer without the mark is refused. So it has not been applied and will not be.
      complete(outcomes);
    } else {
      answer = outcomes;
    }
  }

  private void met(TransactionId id, FastOperation operation, long nowNanos) {
    if (!id.equals(blocker)) {
      blocker = id;
      blockedSinceNanos = nowNanos;
    }
    blocked = operation;
  }

  /** The last attempt was not answered. */
  void failed(End attempt) {
    failure = Attempts.failure(attempt);
    blocker = null;
    if (attempt instanceof Lost) {
      lost++;
      operations = operations.stream().map(FastOperation::again).toList();
    }
    repeatable = Attempts.mayRepeat(failure);
    atOnce = false;
    long leastMark = Attempts.leastMark(failure);
    if (leastMark > firstMark() && lost == 0) {
      // The server wants to be able to find it again. Nothing was executed: so it may be renamed.
      operations = operations.stream().map(o -> o.withFirstMark(leastMark)).toList();
      repeatable = true;
      // What it is told grows old while it waits. But once only: it must not hammer the server.
      atOnce = !renamed;
      renamed = true;
    }
  }

  /** Its version, if it has one, is above this. */
  long firstMark() {
    return operations.get(0).firstMark();
  }

  /** The last attempt could not even be sent. */
  void notSent(RuntimeException why) {
    failure = why;
    atOnce = false;
    blocker = null;
    repeatable = Attempts.mayRepeat(why);
  }

  /** There can be no further attempt. */
  void refuse(RuntimeException why) {
    failure = why;
    repeatable = false;
  }

  /** Returns true if only the row itself, by the operation's id, can give the outcome. */
  boolean mustAsk() {
    return isOpen() && (answer != null || lost > 0 && !repeatable);
  }

  /** Returns true if an attempt may have been applied, and its outcome is unknown. */
  boolean isInDoubt() {
    return lost > 0;
  }

  boolean mayRepeat() {
    return repeatable;
  }

  /** Returns true if there is nothing to wait for before the next attempt. */
  boolean goesAtOnce() {
    return atOnce;
  }

  boolean maybeElsewhere() {
    return failure != null && Attempts.maybeElsewhere(failure);
  }

  /** Returns the intent that blocks it; empty if none does. */
  Optional<Intent> blocker(String table) {
    if (blocker == null || blocked == null) {
      return Optional.empty();
    }
    // A column that it may read and write, as the request's carrier shows it.
    for (Mutation mutation : blocked.mutations()) {
      if (mutation.kind() != FastOperation.Kind.DELETE_ROW) {
        RowFamily place = new RowFamily(table, blocked.row(), mutation.family());
        return Optional.of(new Intent(blocker, place, mutation.qualifier()));
      }
    }
    RowFamily row = new RowFamily(table, blocked.row(), Bytes.EMPTY);
    return Optional.of(new Intent(blocker, row, Bytes.EMPTY));
  }

  long blockedForNanos(long nowNanos) {
    return nowNanos - blockedSinceNanos;
  }

  /** The row has said that it was never applied. */
  void notApplied(String table) {
    if (answer != null) {
      complete(answer);
    } else {
      fail(reason(table));
    }
  }

  /** No further attempt: not applied unless an attempt was lost. */
  void giveUp(String table) {
    RuntimeException why = reason(table);
    fail(
        lost == 0
            ? why
            : new OperationUnknownException(
                "no answer tells whether it was applied", firstMark(), why));
  }

  private RuntimeException reason(String table) {
    if (blocker != null && blocked != null) {
      return new RowBlockedException(table, blocked.row(), blocker);
    }
    return Objects.requireNonNullElseGet(
        failure, () -> new StoreUnavailableException("not applied in time, table=" + table, null));
  }
}
