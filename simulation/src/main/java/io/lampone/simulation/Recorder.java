package io.lampone.simulation;

import io.lampone.history.History;
import io.lampone.history.HistoryTransaction;
import io.lampone.history.Operation;
import io.lampone.history.Outcome;
import io.lampone.protocol.OperationId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Writes down what clients saw, for the judge of histories. */
final class Recorder {

  private final World world;
  private final List<HistoryTransaction> transactions = new ArrayList<>();

  /** Who each of them is in the store. */
  private final List<OperationId> ids = new ArrayList<>();

  private int processes;
  private long elements;

  Recorder(World world) {
    this.world = world;
  }

  /** A name for somebody who does one thing after the other. */
  int newProcess() {
    return processes++;
  }

  /** An element that nobody has written. */
  long newElement() {
    return ++elements;
  }

  int count() {
    return transactions.size();
  }

  long count(Outcome outcome) {
    return transactions.stream().filter(each -> each.outcome() == outcome).count();
  }

  /**
   * Writes down an end.
   *
   * @param id of the transaction or operation; NONE if it never had one
   * @param start 0 for an operation of the fast path
   */
  void add(
      HistoryProcess who,
      Outcome outcome,
      List<Operation> operations,
      OperationId id,
      long start,
      long commit) {
    HistoryTransaction done =
        new HistoryTransaction(
            transactions.size(),
            who.process(),
            who.invokedNanos(),
            outcome == Outcome.UNKNOWN ? HistoryTransaction.NEVER : world.nowNanos(),
            outcome,
            operations,
            "",
            start,
            commit,
            who.fast());
    transactions.add(done);
    ids.add(id);
  }

  /** Who does something, and since when. */
  record HistoryProcess(int process, long invokedNanos, boolean fast) {}

  /**
   * The history for the judge. What became of those whose client does not know is looked up: the
   * judge need not guess.
   */
  History history(long seed, Commits commits) {
    List<HistoryTransaction> resolved = new ArrayList<>();
    for (int i = 0; i < transactions.size(); i++) {
      HistoryTransaction one = transactions.get(i);
      Optional<Long> commit = commits.commitOf(ids.get(i));
      boolean unknown = one.outcome() == Outcome.UNKNOWN;
      resolved.add(
          unknown
              ? new HistoryTransaction(
                  one.number(),
                  one.process(),
                  one.invokeNanos(),
                  one.completeNanos(),
                  commit.isPresent() ? Outcome.UNKNOWN : Outcome.FAILED,
                  one.operations(),
                  "",
                  one.startTimestamp(),
                  commit.orElse(0L),
                  one.fastPath())
              : one);
    }
    return new History(
        new History.Header(History.Header.LIST_APPEND, "strong-si", seed, 0), resolved, 0);
  }
}
