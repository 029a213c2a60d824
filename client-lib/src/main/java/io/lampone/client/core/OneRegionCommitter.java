package io.lampone.client.core;

import io.lampone.client.ConflictException;
import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.CommitOutcome.Unknown;
import io.lampone.client.core.FastPathStore.End;
import io.lampone.client.core.FastPathStore.End.Answered;
import io.lampone.client.core.FastPathStore.End.Lost;
import io.lampone.client.core.failure.Attempts;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.client.core.slow.TransactionTrace.Phase;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OneRegionCommit.RowRead;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.trust.Grant;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Commits a regular transaction whose writes lie in one region, in one round trip: no intents, no
 * validation (protocol page, section 8).
 *
 * <pre>
 *   SENT --applied--------------------------------> Committed
 *    |----conflict--------------------------------> Conflict
 *    |----busy, not applied, refused, not executed> the ordinary path
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

  /** The transaction has not been committed, and may go the ordinary way. */
  private static final Step<Optional<CommitOutcome>> ORDINARY_PATH = Step.done(Optional.empty());

  private final FastPathStore store;
  private final OperationStatusLookup fates;
  private final Session session;
  private final RandomGenerator random;
  private final Limits limits;

  /**
   * Limits of a one-region commit: more than this goes the ordinary way.
   *
   * @param rows rows of the write set, all of which are locked at once, and rows to be certified
   * @param bytes payload of the write set, roughly
   */
  public record Limits(int rows, long bytes) {}

  public OneRegionCommitter(
      FastPathStore store,
      OperationStatusLookup fates,
      Session session,
      RandomGenerator random,
      Limits limits) {
    this.store = store;
    this.fates = fates;
    this.session = session;
    this.random = random;
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
   * @param reads rows of the same table to be certified
   * @param knownSchema as of a {@link io.lampone.protocol.request.RegionRequest.Flush}
   */
  public record WriteSet(
      TransactionId id,
      long floor,
      ConflictLevel level,
      List<RowIntents> rows,
      long bytes,
      Grant grant,
      List<RowRead> reads,
      long knownSchema) {

    /**
     * Returns the buffered writes, not empty, of a transaction without intents; empty if a region
     * cannot commit them: not in one table, or after reads in a range or in another table.
     */
    static Optional<WriteSet> of(Begin begin, WriteBuffer buffer, ReadSet.Unprotected unprotected) {
      Optional<WriteBuffer.OneTable> table = buffer.asOneTable();
      RowFamily first = buffer.firstPlace();
      if (!unprotected.ranges().isEmpty()
          || table.isEmpty()
          || !buffer.conflictKeys().hasFencesOnlyOf(first.table()) // the region checks its own
          || !unprotected.points().stream()
              .allMatch(point -> point.table().equals(first.table()))) {
        return Optional.empty();
      }
      return Optional.of(
          new WriteSet(
              new TransactionId(begin.startTimestamp(), first),
              begin.floor(),
              table.get().level(),
              table.get().rows(),
              buffer.bytes(),
              begin.grant(),
              unprotected.points().stream().map(ReadSet.Point::read).toList(),
              table.get().knownSchema()));
    }
  }

  /**
   * Tries it. Never fails.
   *
   * @param trace measures what is sent
   * @return empty if the transaction has not been committed and will not be by this: the ordinary
   *     path may be taken
   */
  public Step<Optional<CommitOutcome>> commit(
      WriteSet writes, long deadlineNanos, TransactionTrace trace) {
    if (writes.rows().size() + writes.reads().size() > limits.rows()
        || writes.bytes() > limits.bytes()) {
      return ORDINARY_PATH;
    }
    Attempt attempt = new Attempt(writes, deadlineNanos);
    return store
        .mayCommitInOneRegion(writes.id().leader().table(), attempt.request.rowsOfRegion())
        // Nothing was sent: whatever is wrong, the ordinary path finds out.
        .recover(failure -> Step.done(false))
        .then(may -> may ? trace.measure(Phase.ONE_REGION, attempt::send) : ORDINARY_PATH)
        .recover(
            failure ->
                ended(new Unknown(writes.id(), "commit failed in an unforeseen way", failure)));
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
              session.shown(),
              writes.reads(),
              writes.knownSchema());
    }

    Step<Optional<CommitOutcome>> send() {
      return store
          .send(id.leader().table(), List.of(request), deadlineNanos)
          .next(
              sent -> {
                End end = sent.value().get(0);
                return end instanceof Answered answered
                    ? answered(answered.reply())
                    : after(end, sent.isAfter(deadlineNanos));
              });
    }

    private Step<Optional<CommitOutcome>> after(End end, boolean over) {
      RuntimeException why = Attempts.failure(end);
      if (end instanceof Lost) {
        lost++;
        request = request.again(session.mark(), session.shown());
      } else if (lost == 0) {
        return ORDINARY_PATH;
      } else if (!Attempts.mayRepeat(why)) {
        return ask();
      } else {
        // The opening of the region, if that is what the repetition had to know of.
        session.heardOf(Attempts.leastMark(why));
        request = request.again(session.mark(), session.shown());
      }
      if (over) {
        return ended(new Unknown(id, "no answer tells whether it was committed", why));
      }
      return Step.pause(Backoff.CALLS.delay(tries++, random))
          .then(
              waited ->
                  store
                      .regionsOf(id.leader().table(), request.rowsOfRegion(), true)
                      .recover(failure -> Step.done(List.of())))
          // The region may be elsewhere by now. Were it split between the rows, no server could
          // answer the same request any more.
          .then(regions -> regions.size() > 1 ? ask() : send());
    }

    private Step<Optional<CommitOutcome>> answered(FastReply reply) {
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
          return ended(conflict(i, outcome.version()));
        }
      }
      return believed ? ORDINARY_PATH : ask();
    }

    /**
     * @param index of the row among those that are written, and then those that were read
     */
    private Conflict conflict(int index, long winner) {
      int written = request.intents().size();
      boolean isRead = index >= written;
      Bytes row =
          isRead ? request.reads().get(index - written).row() : request.intents().get(index).row();
      return new Conflict(
          new RowFamily(id.leader().table(), row, Bytes.EMPTY),
          winner,
          isRead ? ConflictException.Kind.READ_WRITE : ConflictException.Kind.WRITE_WRITE);
    }

    /** After this answer every attempt that is still on its way is refused. */
    private Step<Optional<CommitOutcome>> ask() {
      return fates
          .find(
              id.leader().table(),
              id.leader().row(),
              OperationId.ofTransaction(id.startTimestamp()),
              id.startTimestamp(),
              request.grant(),
              deadlineNanos)
          .next(
              found -> {
                if (found.failure() != null) {
                  return ended(
                      new Unknown(id, "no answer tells whether it was committed", found.failure()));
                }
                if (found.value().applied()) {
                  return ended(new Committed(found.value().timestamp()));
                }
                return found.value().timestamp() > id.startTimestamp()
                    ? ended(new Unknown(id, "the transaction is older than what is kept", null))
                    : ORDINARY_PATH;
              });
    }
  }

  private static Step<Optional<CommitOutcome>> ended(CommitOutcome outcome) {
    return Step.done(Optional.of(outcome));
  }
}
