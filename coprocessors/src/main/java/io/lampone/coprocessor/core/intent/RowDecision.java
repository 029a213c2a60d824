package io.lampone.coprocessor.core.intent;

import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply.Outcome;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decision on one row of a region request.
 *
 * @param outcome reported to the sender
 * @param writes the cells to put, all in one atomic mutation; empty if the row is unchanged
 * @param found knowledge about the row before the writes; null = nothing new
 * @param ended start timestamps of the transactions whose intents in the row are decided by it
 */
public record RowDecision(
    Outcome outcome, List<CellWrite> writes, @Nullable RowKnowledge found, List<Long> ended) {

  public RowDecision {
    writes = List.copyOf(writes);
    ended = List.copyOf(ended);
  }

  private RowDecision(Outcome outcome, List<CellWrite> writes) {
    this(outcome, writes, null, List.of());
  }

  RowDecision having(RowKnowledge knowledge) {
    return new RowDecision(outcome, writes, knowledge, ended);
  }

  RowDecision ending(List<Long> transactions) {
    return new RowDecision(outcome, writes, found, transactions);
  }

  RowDecision telling(Outcome other) {
    return new RowDecision(other, writes, found, ended);
  }

  static RowDecision unchanged(TransactionState state, long commitTimestamp) {
    return new RowDecision(new Outcome(Optional.of(state), commitTimestamp, false), List.of());
  }

  static RowDecision changed(TransactionState state, long commitTimestamp, List<CellWrite> writes) {
    return new RowDecision(new Outcome(Optional.of(state), commitTimestamp, true), writes);
  }

  /** Returns a decision for several transactions, which have no common state. */
  static RowDecision ofSeveral(List<CellWrite> writes) {
    return new RowDecision(new Outcome(Optional.empty(), 0, !writes.isEmpty()), writes);
  }

  static RowDecision nothing() {
    return new RowDecision(Outcome.NOTHING, List.of());
  }
}
