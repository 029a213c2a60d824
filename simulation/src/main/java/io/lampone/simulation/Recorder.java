package io.lampone.simulation;

import io.lampone.history.History;
import io.lampone.history.HistoryTransaction;
import io.lampone.history.Operation;
import io.lampone.history.Outcome;
import java.util.ArrayList;
import java.util.List;

/** Writes down what clients saw, for the judge of histories. */
final class Recorder {

  private final World world;
  private final List<HistoryTransaction> transactions = new ArrayList<>();
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

  void add(
      int process,
      long invokedNanos,
      Outcome outcome,
      List<Operation> operations,
      long start,
      long commit,
      boolean fast) {
    transactions.add(
        new HistoryTransaction(
            transactions.size(),
            process,
            invokedNanos,
            outcome == Outcome.UNKNOWN ? HistoryTransaction.NEVER : world.nowNanos(),
            outcome,
            operations,
            "",
            start,
            commit,
            fast));
  }

  History history(long seed) {
    return new History(
        new History.Header(History.Header.LIST_APPEND, "strong-si", seed, 0), transactions, 0);
  }
}
