package io.lampone.client.core.certify;

import io.lampone.client.core.IntentResolver;
import io.lampone.client.core.TransactionStore;
import io.lampone.client.core.TransactionStore.Certification;
import io.lampone.client.core.TransactionStore.Changed;
import io.lampone.client.core.TransactionStore.RangeCertification;
import io.lampone.client.core.TransactionStore.RangeFindings;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.failure.TransactionTimeoutException;
import io.lampone.client.core.range.ScannedRange;
import io.lampone.client.core.status.ScanJudgments;
import io.lampone.client.core.step.Step;
import java.io.IOException;
import java.util.Optional;

/**
 * Certifies a range at the commit timestamp of a transaction (protocol page, section 4): the
 * regions scan it, and intents of unknown fate are resolved as for a reader at the commit
 * timestamp; then the rows from the first such intent on are scanned again, with the judgments. It
 * begins without judgments: a transaction that was invisible to the reads may have committed before
 * the commit timestamp [Z31].
 */
final class RangeCertifier {

  /** Limit of scans that do not get on. */
  private static final int MAX_ROUNDS = 100;

  private final TransactionStore store;
  private final IntentResolver resolver;
  private final Certification wanted;
  // used by one thread at a time
  private final ScanJudgments judgments = new ScanJudgments();

  /**
   * @param wanted timestamps and deadline of the certification
   */
  RangeCertifier(TransactionStore store, IntentResolver resolver, Certification wanted) {
    this.store = store;
    this.resolver = resolver;
    this.wanted = wanted;
  }

  /** Returns a change in the range; empty if there is none. */
  Step<Optional<Changed>> certify(ScannedRange range) {
    return look(range, 0);
  }

  private Step<Optional<Changed>> look(ScannedRange rest, int rounds) {
    return store
        .certify(new RangeCertification(wanted, rest, judgments.carried()))
        .next(
            event -> {
              Throwable failure = event.failure();
              if (failure != null) {
                return Step.failed(failure);
              }
              RangeFindings found = event.value();
              if (found.changed().isPresent() || found.undecided().isEmpty()) {
                return Step.done(found.changed());
              }
              if (event.isAfter(wanted.deadlineNanos())) {
                return Step.failed(new TransactionTimeoutException(wanted.startTimestamp()));
              }
              if (rounds == MAX_ROUNDS) {
                return Step.failed(
                    new StoreUnavailableException(
                        "a certification does not get on, table=" + rest.table(),
                        new IOException("rounds")));
              }
              return judgments
                  .resolve(
                      found.undecided(),
                      due -> resolver.resolve(due, wanted.commitTimestamp(), wanted.floor()))
                  .then(
                      getsOn ->
                          look(
                              rest.of(rest.rows().startingAt(found.from())),
                              getsOn ? 0 : rounds + 1));
            });
  }
}
