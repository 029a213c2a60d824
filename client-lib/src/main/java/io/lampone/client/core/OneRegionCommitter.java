package io.lampone.client.core;

import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.CommitOutcome.Unknown;
import io.lampone.client.core.FastPathStore.End;
import io.lampone.client.core.FastPathStore.End.Answered;
import io.lampone.client.core.FastPathStore.End.Lost;
import io.lampone.client.core.failure.Failures;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.trust.Grant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Commits a regular transaction whose writes lie in one region, in one round trip: no intents, no
 * validation (protocol page, section 8).
 *
 * <pre>
 *   SENT --applied--------------------------------> Committed
 *    |----conflict--------------------------------> Conflict
 *    |----busy, refused, not executed-------------> the ordinary path
 *    +----lost------> IN DOUBT
 *
 *   IN DOUBT (the same id is sent again) --applied, applied before--> Committed
 *    |----answered: conflict, and one was lost ---> Conflict
 *    |----any other answer, refused for good -----> the row is asked by id
 *    |        applied ----------------------------> Committed
 *    |        never applied, and never will be ---> the ordinary path
 *    +----deadline -------------------------------> Unknown
 * </pre>
 *
 * The ordinary path is taken only when it is certain that no attempt was or will be applied: else
 * the intents would conflict with the transaction's own commit, {@code run} would do the work
 * again, and it would count twice [H9].
 */
public final class OneRegionCommitter {

  private final FastPathStore store;
  private final OperationStatusLookup fates;
  private final Session session;
  private final FastPathWrites.Waits waits;
  private final Limits limits;

  /**
   * Limits of a one-region commit: more than this goes the ordinary way.
   *
   * @param rows rows of the write set, all of which are locked at once
   * @param bytes payload of the write set, roughly
   */
  public record Limits(int rows, long bytes) {}

  public OneRegionCommitter(
      FastPathStore store,
      OperationStatusLookup fates,
      Session session,
      FastPathWrites.Waits waits,
      Limits limits) {
    this.store = store;
    this.fates = fates;
    this.session = session;
    this.waits = waits;
    this.limits = limits;
  }

  /**
   * Unsent writes of a transaction, all of them in one table.
   *
   * @param id the transaction; the leader's row is one of {@code rows}
   * @param floor as received at begin
   * @param level of the table as the client knows it
   * @param rows ascending; each column once, in slot 0
   * @param bytes roughly
   * @param grant of the transaction
   */
  public record WriteSet(
      TransactionId id,
      long floor,
      ConflictLevel level,
      List<RowIntents> rows,
      long bytes,
      Grant grant) {}

  /**
   * Tries it. Never fails.
   *
   * @return empty if the transaction has not been committed and will not be by this: the ordinary
   *     path may be taken
   */
  public CompletableFuture<Optional<CommitOutcome>> commit(WriteSet writes, long deadlineNanos) {
    if (writes.rows().size() > limits.rows() || writes.bytes() > limits.bytes()) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    Attempt attempt = new Attempt(writes, deadlineNanos);
    return store
        .mayCommitInOneRegion(
            writes.id().leader().table(), writes.rows().stream().map(RowIntents::row).toList())
        // Nothing was sent: whatever is wrong, the ordinary path finds out.
        .exceptionally(failure -> false)
        .thenCompose(
            may ->
                may
                    ? attempt.send()
                    : CompletableFuture.completedFuture(Optional.<CommitOutcome>empty()))
        .exceptionally(
            failure ->
                Optional.of(
                    new Unknown(
                        writes.id(),
                        "commit failed in an unforeseen way",
                        Failures.unwrap(failure))));
  }

  /** One transaction on its way; used by one thread after the other. */
  private final class Attempt {

    private final TransactionId id;
    private final long deadlineNanos;
    private OneRegionCommit request;
    // attempts whose fate is not known
    private int lost;
    // pauses before repetitions
    private int tries;

    Attempt(WriteSet writes, long deadlineNanos) {
      this.id = writes.id();
      this.deadlineNanos = deadlineNanos;
      this.request =
          new OneRegionCommit(
              id.startTimestamp(),
              writes.floor(),
              session.mark(),
              writes.level(),
              false,
              writes.rows(),
              writes.grant(),
              session.shown());
    }

    CompletableFuture<Optional<CommitOutcome>> send() {
      return store
          .send(id.leader().table(), List.of(request), deadlineNanos)
          .thenCompose(ends -> after(ends.get(0)));
    }

    private CompletableFuture<Optional<CommitOutcome>> after(End end) {
      if (end instanceof Answered answered) {
        return answered(answered.reply());
      }
      RuntimeException why = Attempts.failure(end);
      if (end instanceof Lost) {
        lost++;
        request = request.again(session.mark(), session.shown());
      } else if (lost == 0) {
        return ordinaryPath();
      } else if (!Attempts.mayRepeat(why)) {
        return ask();
      } else {
        // The opening of the region, if that is what the repetition had to know of.
        session.heardOf(Attempts.leastMark(why));
        request = request.again(session.mark(), session.shown());
      }
      if (waits.clock().monotonicNanos() - deadlineNanos >= 0) {
        return ended(new Unknown(id, "no answer tells whether it was committed", why));
      }
      return waits
          .timer()
          .after(Backoff.CALLS.delay(tries++, waits.random()))
          .thenCompose(
              waited ->
                  store
                      .regionsOf(id.leader().table(), request.rows(), true)
                      .exceptionally(failure -> List.of()))
          // The region may be elsewhere by now. Were it split between the rows, no server could
          // answer the same request any more.
          .thenCompose(regions -> regions.size() > 1 ? ask() : send());
    }

    private CompletableFuture<Optional<CommitOutcome>> answered(FastReply reply) {
      List<Outcome> outcomes = reply.outcomes();
      boolean believed = lost <= 1;
      for (int i = 0; i < outcomes.size(); i++) {
        Outcome outcome = outcomes.get(i);
        if (outcome.kind().isApplied()) {
          // One version for all rows.
          session.heardOf(outcome.version(), reply.issued());
          return ended(new Committed(outcome.version()));
        }
        if (outcome.kind() == Kind.CONFLICT && believed) {
          Bytes row = request.intents().get(i).row();
          return ended(
              new Conflict(
                  new RowFamily(id.leader().table(), row, Bytes.EMPTY), outcome.version()));
        }
      }
      return believed ? ordinaryPath() : ask();
    }

    /** After this answer every attempt that is still on its way is refused. */
    private CompletableFuture<Optional<CommitOutcome>> ask() {
      return fates
          .find(
              id.leader().table(),
              id.leader().row(),
              OperationId.ofTransaction(id.startTimestamp()),
              id.startTimestamp(),
              request.grant(),
              deadlineNanos)
          .handle(
              (fate, failure) -> {
                if (failure != null) {
                  return Optional.of(
                      new Unknown(
                          id,
                          "no answer tells whether it was committed",
                          Failures.unwrap(failure)));
                }
                if (fate.applied()) {
                  return Optional.of(new Committed(fate.timestamp()));
                }
                return fate.timestamp() > id.startTimestamp()
                    ? Optional.of(
                        new Unknown(id, "the transaction is older than what is kept", null))
                    : Optional.empty();
              });
    }

    private CompletableFuture<Optional<CommitOutcome>> ordinaryPath() {
      return CompletableFuture.completedFuture(Optional.empty());
    }

    private CompletableFuture<Optional<CommitOutcome>> ended(CommitOutcome outcome) {
      return CompletableFuture.completedFuture(Optional.of(outcome));
    }
  }
}
