package io.lampone.client.core.certify;

import io.lampone.client.ConflictException.Kind;
import io.lampone.client.core.CommitOutcome;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.IntentResolver;
import io.lampone.client.core.TransactionStore;
import io.lampone.client.core.TransactionStore.Certification;
import io.lampone.client.core.range.ScannedRange;
import io.lampone.client.core.step.Step;
import java.util.List;
import java.util.Optional;

/**
 * Certifies the reads of a transaction at its commit timestamp: the regions of the read rows and
 * ranges are asked whether another transaction has changed them since its snapshot.
 */
public final class ReadCertifier {

  /** Limit of ranges that are certified concurrently. */
  private static final int RANGES_AT_ONCE = 16;

  private final TransactionStore store;
  private final IntentResolver resolver;
  private final Certification wanted;

  /**
   * @param resolver judge of intents in ranges
   * @param wanted timestamps, deadline and rows of the certification
   */
  public ReadCertifier(TransactionStore store, IntentResolver resolver, Certification wanted) {
    this.store = store;
    this.resolver = resolver;
    this.wanted = wanted;
  }

  /** Returns the conflict with a change of a row; empty if there is none. */
  public Step<Optional<CommitOutcome>> points() {
    return store
        .certify(wanted)
        .map(
            found ->
                found.map(
                    changed ->
                        new Conflict(changed.place(), changed.commitTimestamp(), Kind.READ_WRITE)));
  }

  /** Returns the conflict with a change in a range; empty if there is none. */
  public Step<Optional<CommitOutcome>> ranges(List<ScannedRange> ranges) {
    if (ranges.isEmpty()) {
      return Step.done(Optional.empty());
    }
    int some = Math.min(ranges.size(), RANGES_AT_ONCE);
    return Step.all(ranges.subList(0, some).stream().map(this::range).toList())
        .then(
            found -> {
              Optional<CommitOutcome> first = found.stream().flatMap(Optional::stream).findFirst();
              return first.isPresent()
                  ? Step.done(first)
                  : ranges(ranges.subList(some, ranges.size()));
            });
  }

  private Step<Optional<CommitOutcome>> range(ScannedRange range) {
    return new RangeCertifier(store, resolver, wanted)
        .certify(range)
        .map(
            found ->
                found.map(
                    changed ->
                        new Conflict(
                            changed.place(),
                            changed.commitTimestamp(),
                            Kind.RANGE,
                            Optional.of(range.rows()))));
  }
}
