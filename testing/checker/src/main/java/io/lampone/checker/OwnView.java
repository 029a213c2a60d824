package io.lampone.checker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Checks one transaction's reads against its own writes: each read shows the same external state of
 * the key each time, with the transaction's own writes on top.
 */
final class OwnView {

  private final HistoryTransaction transaction;
  private final boolean isList;
  private final Consumer<Anomaly> anomalies;

  /** Its writes so far, by key; of a register only the last value. */
  private final Map<String, List<Long>> own = new HashMap<>();

  private final Map<String, Observation> outside = new LinkedHashMap<>();

  OwnView(HistoryTransaction transaction, boolean isList, Consumer<Anomaly> anomalies) {
    this.transaction = transaction;
    this.isList = isList;
    this.anomalies = anomalies;
  }

  /** Returns the external state that it saw, by key. */
  Collection<Observation> observations() {
    for (Operation operation : transaction.operations()) {
      List<Long> mine = own.computeIfAbsent(operation.key(), key -> new ArrayList<>());
      if (operation instanceof Operation.Append append) {
        mine.add(append.element());
      } else if (operation instanceof Operation.Write write) {
        mine.clear();
        mine.add(write.value());
      } else if (operation instanceof Operation.Read read) {
        look(read, mine);
      }
    }
    return outside.values();
  }

  private void look(Operation.Read read, List<Long> mine) {
    if (transaction.outcome() == Outcome.FAILED && !mine.isEmpty()) {
      // Another client may have aborted it, and its writes may be gone.
      return;
    }
    List<Long> seen = read.elements();
    int foreign = seen.size() - mine.size();
    if (foreign < 0 || !seen.subList(foreign, seen.size()).equals(mine)) {
      anomalies.accept(
          new Anomaly(
              AnomalyKind.INTERNAL,
              "a read does not show the transaction's own writes, key=" + read.key(),
              List.of(transaction)));
      return;
    }
    if (!isList && !mine.isEmpty()) {
      // Its own value hides the writes of others.
      return;
    }
    Observation now = new Observation(transaction, read.key(), seen.subList(0, foreign));
    Observation before = outside.putIfAbsent(read.key(), now);
    if (before != null && !before.elements().equals(now.elements())) {
      anomalies.accept(
          new Anomaly(
              AnomalyKind.READ_SKEW,
              "two reads of a key in one transaction differ, key=" + read.key(),
              List.of(transaction)));
    }
  }
}
