package io.lampone.client.core;

import io.lampone.client.core.FastPathStore.End;
import io.lampone.client.core.FastPathStore.End.Answered;
import io.lampone.client.core.failure.Attempts;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.trust.Proof;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Determines by its id whether an operation was applied, at a row that it wrote (protocol page,
 * section 8). The result is final: an attempt in transit is refused from then on, so the lookup
 * ends an operation that was not applied yet.
 */
public final class OperationStatusLookup {

  private final FastPathStore store;
  private final Session session;
  private final RandomGenerator random;

  public OperationStatusLookup(FastPathStore store, Session session, RandomGenerator random) {
    this.store = store;
    this.session = session;
    this.random = random;
  }

  /**
   * State of an operation.
   *
   * @param applied true if it was applied
   * @param timestamp its version if it was; else the safe point of the server, below which it may
   *     have been applied all the same
   */
  public record Fate(boolean applied, long timestamp) {}

  /**
   * Looks up the operation until there is a reply or the deadline has passed.
   *
   * <p>Fails with {@link StoreRefusedException} or {@link StoreUnavailableException}.
   *
   * @param above the operation's version, if it has one, is above this
   * @param proof the owner's grant, of a transaction
   */
  public Step<Fate> find(
      String table, Bytes row, OperationId id, long above, Proof proof, long deadlineNanos) {
    return ask(
        table, new OperationLookup(session.floor(), row, id, above, proof), deadlineNanos, 0);
  }

  private Step<Fate> ask(String table, OperationLookup lookup, long deadlineNanos, int tries) {
    return store
        .send(table, List.of(lookup), deadlineNanos)
        .next(
            sent -> {
              End end = sent.value().get(0);
              if (end instanceof Answered answered) {
                Outcome outcome = answered.reply().outcomes().get(0);
                boolean applied = outcome.kind().isApplied();
                if (applied) {
                  session.heardOf(outcome.version(), answered.reply().issued());
                }
                return Step.done(new Fate(applied, outcome.version()));
              }
              RuntimeException why = Attempts.failure(end);
              if (!Attempts.mayRepeat(why) || sent.isAfter(deadlineNanos)) {
                return Step.failed(why);
              }
              return Step.pause(Backoff.CALLS.delay(tries, random))
                  .then(waited -> located(table, lookup))
                  .then(located -> ask(table, lookup, deadlineNanos, tries + 1));
            });
  }

  /** Locates the region; a failure does not prevent the next attempt, which fails, too. */
  private Step<Boolean> located(String table, OperationLookup lookup) {
    return store
        .regionsOf(table, lookup.rows(), true)
        .map(regions -> true)
        .recover(failure -> Step.done(false));
  }
}
